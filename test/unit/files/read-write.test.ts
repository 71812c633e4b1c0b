import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sha256 } from "../../../src/files/digest.ts";
import { type Folder, openFolder } from "../../../src/files/folder.ts";
import { readInFolder } from "../../../src/files/read-in-folder.ts";
import { replaceFile, type WriteStep } from "../../../src/files/write.ts";

let base: string;
let folder: Folder;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "satyrn file "));
  const opened = openFolder(base, []);
  if (!opened.ok) throw new Error(opened.message);
  folder = opened.value;
});
afterEach(() => {
  folder.close();
  rmSync(base, { recursive: true, force: true });
});

const read = (name: string, limit = 100) => {
  const result = readInFolder(folder, name, limit, 0);
  return result.ok ? result.value.buffer.toString("utf8", 0, result.value.length) : result.message;
};

const statOf = (name: string) => lstatSync(join(base, name), { bigint: true });
const asRead = (name: string) => ({ stat: statOf(name), sha256: sha256(readFileSync(join(base, name))) });

describe("readInFolder", () => {
  test("gives the bytes, at the front of a buffer with room", () => {
    writeFileSync(join(base, "file"), "bytes");
    const result = readInFolder(folder, "file", 5, 10);
    if (!result.ok) throw new Error(result.message);
    expect(result.value.buffer.length).toBe(15);
    expect(result.value.buffer.toString("utf8", 0, result.value.length)).toBe("bytes");
    expect(result.value.stat.ino).toBe(statOf("file").ino);
  });

  test("reads an empty file", () => {
    writeFileSync(join(base, "file"), "");
    expect(read("file")).toBe("");
  });

  test("refuses what is missing, a link, a folder and a file over the limit", () => {
    writeFileSync(join(base, "file"), "bytes");
    symlinkSync("file", join(base, "link"));
    mkdirSync(join(base, "folder"));
    expect(read("none")).toBe("no such file or directory (ENOENT)");
    expect(read("link")).toBe("it is a symbolic link, not a regular file");
    expect(read("folder")).toBe("it is a folder, not a regular file");
    expect(read("file", 4)).toBe("it has 5 bytes, more than 4");
    expect(read("file", 5)).toBe("bytes");
  });

  test("a sparse file of a terabyte is refused by its size", () => {
    writeFileSync(join(base, "file"), "");
    truncateSync(join(base, "file"), 2 ** 40);
    expect(read("file")).toBe("it has 1099511627776 bytes, more than 100");
  });

  test.skipIf(process.platform === "win32")("refuses a device without opening it", () => {
    const opened = openFolder("/dev", []);
    if (!opened.ok) throw new Error(opened.message);
    const result = readInFolder(opened.value, "zero", 100, 0);
    opened.value.close();
    expect(result).toMatchObject({ ok: false, message: "it is a device, not a regular file" });
  });
});

describe("replaceFile", () => {
  const replace = (name: string, bytes: string, onStep?: (step: WriteStep) => void, before = asRead(name)) =>
    replaceFile(folder, name, Buffer.from(bytes), before, onStep);

  test("puts the bytes in place and leaves nothing beside them", () => {
    writeFileSync(join(base, "file"), "old");
    const steps: WriteStep[] = [];
    expect(replace("file", "new", (step) => steps.push(step))).toEqual({ ok: true, value: null });
    expect(steps).toEqual(["created", "written", "flushed", "renamed"]);
    expect(readFileSync(join(base, "file"), "utf8")).toBe("new");
    expect(readdirSync(base)).toEqual(["file"]);
  });

  test.each([0o644, 0o600, 0o444, 0o755, 0o666, 0o777, 0o1755])("keeps mode %o under any umask", (mode) => {
    writeFileSync(join(base, "file"), "old");
    chmodSync(join(base, "file"), mode);
    const umask = process.umask(0o077);
    try {
      expect(replace("file", "new").ok).toBe(true);
    } finally {
      process.umask(umask);
    }
    expect((lstatSync(join(base, "file")).mode & 0o7777).toString(8)).toBe(mode.toString(8));
  });

  test("drops setuid and setgid", () => {
    writeFileSync(join(base, "file"), "old");
    chmodSync(join(base, "file"), 0o6755);
    expect(replace("file", "new").ok).toBe(true);
    expect(lstatSync(join(base, "file")).mode & 0o7777).toBe(0o755);
  });

  test("another name of the same file keeps the old bytes", () => {
    writeFileSync(join(base, "file"), "old");
    linkSync(join(base, "file"), join(base, "other"));
    expect(replace("file", "new").ok).toBe(true);
    expect(readFileSync(join(base, "other"), "utf8")).toBe("old");
  });

  test("takes away what a killed replacement left", () => {
    writeFileSync(join(base, "file"), "old");
    writeFileSync(join(base, ".satyrn-replacement.tmp"), "half");
    expect(replace("file", "new").ok).toBe(true);
    expect(readdirSync(base)).toEqual(["file"]);
  });

  test("a link in the temporary file's place is not followed, nor removed", () => {
    writeFileSync(join(base, "file"), "old");
    writeFileSync(join(base, "victim"), "victim");
    symlinkSync("victim", join(base, ".satyrn-replacement.tmp"));
    expect(replace("file", "new")).toEqual({
      ok: false,
      code: "NOT_WRITTEN",
      message: "file already exists (EEXIST)",
    });
    expect(readFileSync(join(base, "victim"), "utf8")).toBe("victim");
    expect(readFileSync(join(base, "file"), "utf8")).toBe("old");
    expect(readdirSync(base).sort()).toEqual([".satyrn-replacement.tmp", "file", "victim"]);
  });

  test("a file with the temporary file's name can be replaced like any other", () => {
    writeFileSync(join(base, ".satyrn-replacement.tmp"), "old");
    expect(replace(".satyrn-replacement.tmp", "new").ok).toBe(true);
    expect(readFileSync(join(base, ".satyrn-replacement.tmp"), "utf8")).toBe("new");
    expect(readdirSync(base)).toEqual([".satyrn-replacement.tmp"]);
  });

  test.each([
    ["rewritten in place", () => writeFileSync(join(base, "file"), "theirs")],
    [
      "rewritten with as many bytes, its time put back",
      () => {
        writeFileSync(join(base, "file"), "odd");
        utimesSync(join(base, "file"), 1000, 1000);
      },
    ],
    ["made executable", () => chmodSync(join(base, "file"), 0o755)],
    ["removed", () => rmSync(join(base, "file"))],
    [
      "replaced by a link",
      () => {
        rmSync(join(base, "file"));
        symlinkSync("victim", join(base, "file"));
      },
    ],
  ])("a file %s since it was read is left as it is", (_what, change) => {
    writeFileSync(join(base, "file"), "old");
    writeFileSync(join(base, "victim"), "victim");
    utimesSync(join(base, "file"), 1000, 1000);
    const before = asRead("file");
    change();
    const after = readdirSync(base);
    expect(replace("file", "new", undefined, before)).toMatchObject({ ok: false, code: "CHANGED" });
    expect(readdirSync(base)).toEqual(after);
    expect(readFileSync(join(base, "victim"), "utf8")).toBe("victim");
    if (after.includes("file")) expect(readFileSync(join(base, "file"), "utf8")).not.toBe("new");
  });

  test("a file that was only touched since it was read is the same", () => {
    writeFileSync(join(base, "file"), "old");
    const before = asRead("file");
    utimesSync(join(base, "file"), 1, 1);
    expect(replace("file", "new", undefined, before).ok).toBe(true);
  });

  test("an exception between the steps removes the temporary file", () => {
    writeFileSync(join(base, "file"), "old");
    for (const broken of ["created", "written", "flushed"]) {
      const fail = () =>
        replace("file", "new", (step) => {
          if (step === broken) throw new Error("broken");
        });
      expect(fail).toThrow("broken");
      expect(readdirSync(base)).toEqual(["file"]);
      expect(readFileSync(join(base, "file"), "utf8")).toBe("old");
    }
  });
});
