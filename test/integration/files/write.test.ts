/** Replacing a file where times tell little. */
import { expect, test } from "bun:test";
import { readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../../src/files/digest.ts";
import { openFolder } from "../../../src/files/folder.ts";
import { readInFolder } from "../../../src/files/read-in-folder.ts";
import { replaceFile } from "../../../src/files/write.ts";
import { temporaryFolder } from "../../support/repository.ts";
import { mountWithWholeSeconds } from "../../support/whole-seconds.ts";

test("an edit in the second in which a file was read is noticed, where the file system keeps whole seconds", () => {
  const { path, dispose } = temporaryFolder();
  const mounted = mountWithWholeSeconds(path);
  try {
    if (mounted === undefined) return console.log("skipped: no such file system can be made or mounted here");
    const folder = openFolder(mounted.path, []);
    if (!folder.ok) throw new Error(folder.message);
    const file = join(mounted.path, "a.txt");
    const replaceAfter = (edit: () => void) => {
      writeFileSync(file, "one\n");
      const read = readInFolder(folder.value, "a.txt", 100, 0);
      if (!read.ok) throw new Error(read.message);
      const { stat, buffer, length } = read.value;
      edit();
      const isSameSecond = statSync(file, { bigint: true }).ctimeNs === stat.ctimeNs;
      const before = { stat, sha256: sha256(buffer.subarray(0, length)) };
      return { isSameSecond, result: replaceFile(folder.value, "a.txt", Buffer.from("mine\n"), before) };
    };
    const edit = () => {
      const { mtime } = statSync(file);
      writeFileSync(file, "ONE\n");
      utimesSync(file, mtime, mtime);
    };
    let edited = replaceAfter(edit);
    while (!edited.isSameSecond) edited = replaceAfter(edit);
    expect(edited.result).toMatchObject({ ok: false, code: "CHANGED" });
    expect(readFileSync(file, "utf8")).toBe("ONE\n");
    expect(replaceAfter(() => {}).result.ok).toBe(true);
    expect(readFileSync(file, "utf8")).toBe("mine\n");
    folder.value.close();
  } finally {
    mounted?.unmount();
    dispose();
  }
});
