import { afterAll, expect, test } from "bun:test";
import { lstatSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lookBelow, statxWord } from "../../../src/process/statx.ts";
import { needing } from "../../support/means.ts";
import { temporaryFolder } from "../../support/repository.ts";

const folder = temporaryFolder();
afterAll(() => folder.dispose());

/** The bytes of `paths`, each with NUL at its end, and where each begins. */
function listed(paths: readonly string[]): { names: Buffer; starts: readonly number[] } {
  const parts = paths.map((path) => Buffer.from(`${path}\0`));
  let at = 0;
  const starts = parts.map((part) => {
    const start = at;
    at += part.length;
    return start;
  });
  return { names: Buffer.concat(parts), starts };
}

function looking(paths: readonly string[]) {
  const { names, starts } = listed(paths);
  const looks = lookBelow(folder.path, names);
  if (looks === null) throw new Error("the C library has no statx");
  return { looks, starts };
}

const linux = needing("/proc");

linux(
  "a look finds what the runtime finds: a file, a folder, a link itself, names with blanks and beyond ASCII",
  () => {
    mkdirSync(join(folder.path, "ä b/c"), { recursive: true });
    writeFileSync(join(folder.path, "ä b/c/file"), "content");
    symlinkSync("nowhere", join(folder.path, "ä b/link"));
    const paths = ["ä b", "ä b/c/file", "ä b/link"];
    const { looks, starts } = looking(paths);
    for (const [n, path] of paths.entries()) {
      expect(looks.at(starts[n] ?? 0)).toBe(true);
      const { ino, size, ctimeNs, mtimeNs } = lstatSync(join(folder.path, path), { bigint: true });
      const time = (seconds: number, nanoseconds: number) =>
        BigInt(looks.found[seconds] ?? 0) * 1_000_000_000n + BigInt(looks.found[nanoseconds] ?? 0);
      expect([looks.found[statxWord.inode], looks.found[statxWord.size]]).toEqual([
        Number(ino),
        Number(size),
      ]);
      expect(time(statxWord.changed, statxWord.changedNs)).toBe(ctimeNs);
      expect(time(statxWord.modified, statxWord.modifiedNs)).toBe(mtimeNs);
    }
    looks.close();
  },
);

linux("what is not there is absent, what cannot be seen is not", () => {
  writeFileSync(join(folder.path, "file"), "");
  symlinkSync("loop", join(folder.path, "loop"));
  const { looks, starts } = looking(["gone", "file/below", "loop/below", "n".repeat(300)]);
  const answers = starts.map((start) => [looks.at(start), looks.isAbsent()]);
  expect(answers).toEqual([
    [false, true],
    [false, true],
    [false, false],
    [false, false],
  ]);
  looks.close();
});

linux("a hundred thousand looks are right: also when the code that reads them has been compiled", () => {
  const paths = Array.from({ length: 50 }, (_, n) => `n-${n}`);
  for (const path of paths) writeFileSync(join(folder.path, path), path);
  const inodes = paths.map((path) => lstatSync(join(folder.path, path)).ino);
  const { looks, starts } = looking(paths);
  const isRight = (n: number) => looks.at(starts[n] ?? 0) && looks.found[statxWord.inode] === inodes[n];
  let wrong = 0;
  for (let look = 0; look < 100_000; look++) if (!isRight(look % 50)) wrong++;
  looks.close();
  expect(wrong).toBe(0);
});

linux("nothing is seen beyond the names", () => {
  const { names } = listed(["."]);
  const looks = lookBelow(folder.path, names);
  expect([looks?.at(0), looks?.at(names.length)]).toEqual([true, false]);
  looks?.close();
});

test("there is nothing to look at below a folder that cannot be opened", () => {
  expect(lookBelow(join(folder.path, "none"), Buffer.from("x\0"))).toBeNull();
});
