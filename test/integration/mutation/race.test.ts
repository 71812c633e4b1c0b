import { afterEach, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openFolder } from "../../../src/files/folder.ts";
import { type Bounded, bounded, edit, namesIn } from "../../support/bounded.ts";

let at: Bounded;
afterEach(() => at.dispose());

/** Runs `source` in a process of its own; `replaceIn` and `edit` are there for it. Its stdout, by lines. */
async function inAnotherProcess(source: string): Promise<readonly string[]> {
  const support = join(import.meta.dir, "../../support/bounded.ts");
  const replace = join(import.meta.dir, "../../../src/mutation/replace.ts");
  const program = `
    import { replace } from ${JSON.stringify(replace)};
    import { edit } from ${JSON.stringify(support)};
    const common = { repo: ${JSON.stringify(at.repo)}, contract: ${JSON.stringify(at.contract)} };
    const replaceIn = (path, expected_sha256, edits, seams) =>
      replace({ ...common, path, expected_sha256, edits }, seams);
    ${source}`;
  const script = join(at.outside, `../${crypto.randomUUID()}.ts`);
  writeFileSync(script, program);
  const child = Bun.spawn([process.execPath, script], { stdout: "pipe", stderr: "inherit" });
  const text = await child.stdout.text();
  await child.exited;
  return text.split("\n").filter((line) => line !== "");
}

const locks = [
  ["a lock on the folder", "{}"],
  ["a file for a lock, where there is no other", '{ lock: () => "unavailable" }'],
] as const;

describe.each(locks)("replacements of one revision at the same time, with %s", (_name, seams) => {
  test("one of two is OK and the other REVISION_STALE, every time", async () => {
    at = bounded(
      Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`file${index}`, `start ${index}`])),
    );
    const go = join(at.outside, "go");
    const contender = (who: string) =>
      inAnotherProcess(`
        import { existsSync } from "node:fs";
        while (!existsSync(${JSON.stringify(go)})) Bun.sleepSync(1);
        for (let index = 0; index < 40; index++) {
          const revision = new Bun.CryptoHasher("sha256").update("start " + index).digest("hex");
          console.log(replaceIn("file" + index, revision, [edit("start", "${who}")], ${seams}).code);
        }`);
    const both = [contender("first"), contender("second")];
    await Bun.sleep(300);
    writeFileSync(go, "");
    const [first, second] = (await Promise.all(both)) as [readonly string[], readonly string[]];
    for (let index = 0; index < 40; index++) {
      expect([first[index], second[index]].sort()).toEqual(["OK", "REVISION_STALE"]);
      expect(at.read(`file${index}`)).toBe(`${first[index] === "OK" ? "first" : "second"} ${index}`);
    }
    expect(namesIn(at.repo)).toHaveLength(41);
  });

  test("of six that count up by retrying, no step is lost", async () => {
    at = bounded({ counter: "count 0." });
    const each = 20;
    const counting = () =>
      inAnotherProcess(`
        import { readFileSync } from "node:fs";
        for (let done = 0; done < ${each}; ) {
          const text = readFileSync(common.repo + "/counter", "utf8");
          const revision = new Bun.CryptoHasher("sha256").update(text).digest("hex");
          const next = text.replace(/\\d+/, (count) => String(Number(count) + 1));
          const answer = replaceIn("counter", revision, [edit(text, next)], ${seams});
          if (answer.code === "OK") done++;
          else if (answer.code !== "REVISION_STALE") console.log(JSON.stringify(answer));
        }`);
    const said = await Promise.all(Array.from({ length: 6 }, counting));
    expect(said.flat()).toEqual([]);
    expect(at.read("counter")).toBe(`count ${6 * each}.`);
    expect(namesIn(at.repo)).toEqual([".keep", "counter"]);
  });
});

test("a folder that another process keeps locked is MUTATION_FAILED, in bounded time, and OK afterwards", async () => {
  at = bounded({ file: "old" });
  const holder = openFolder(at.repo, []);
  if (!holder.ok || holder.value.descriptor === null) throw new Error("not opened");
  const { tryLock } = await import("../../../src/files/lock.ts");
  expect(tryLock(holder.value.descriptor)).toBe("locked");
  expect(at.replace("file", [edit("old", "new")], {}, { patience: 50 })).toMatchObject({
    code: "MUTATION_FAILED",
    message: "cannot replace file: another process holds its folder locked",
  });
  holder.value.close();
  expect(at.replace("file", [edit("old", "new")], {}, { patience: 50 }).code).toBe("OK");
});

test("a lock file that a killed process left is named, and OK once it is removed", () => {
  at = bounded({ file: "old", ".satyrn-replacement.lock": "" });
  const noLock = { patience: 50, lock: () => "unavailable" as const };
  expect(at.replace("file", [edit("old", "new")], {}, noLock).message).toContain(
    "remove .satyrn-replacement.lock",
  );
  expect(at.read("file")).toBe("old");
  unlinkSync(join(at.repo, ".satyrn-replacement.lock"));
  expect(at.replace("file", [edit("old", "new")], {}, noLock).code).toBe("OK");
});

test("a parent folder that is swapped for a link all the while leads no write out of the root", async () => {
  at = bounded({ "parent/file": "0.", "parent/deep/file": "0." });
  for (const folder of ["", "deep/"]) {
    mkdirSync(join(at.outside, folder), { recursive: true });
    writeFileSync(join(at.outside, `${folder}file`), "0.");
  }
  const stop = join(at.outside, "../stop");
  // The swapper: parent is a folder, then a link to the folder outside, which holds files of the same names.
  const swapper = Bun.spawn([
    process.execPath,
    "-e",
    `const { existsSync, renameSync, symlinkSync, unlinkSync } = require("node:fs");
     const [parent, away, outside, stop] = process.argv.slice(1);
     let swaps = 0;
     while (!existsSync(stop)) {
       renameSync(parent, away); symlinkSync(outside, parent);
       unlinkSync(parent); renameSync(away, parent);
       swaps++;
     }
     console.log(swaps);`,
    join(at.repo, "parent"),
    join(at.outside, "../away"),
    at.outside,
    stop,
  ]);
  const codes = new Map<string, number>();
  const ending = performance.now() + 3_000;
  const counts: Record<string, number> = { "parent/file": 0, "parent/deep/file": 0 };
  try {
    while (performance.now() < ending) {
      for (const path of Object.keys(counts)) {
        const count = counts[path] as number;
        const answer = at.replace(path, [edit(`${count}.`, `${count + 1}.`)], {
          expected_sha256: new Bun.CryptoHasher("sha256").update(`${count}.`).digest("hex"),
        });
        codes.set(answer.code, (codes.get(answer.code) ?? 0) + 1);
        if (answer.ok) counts[path] = count + 1;
        else
          expect(answer.message).toMatch(
            /: parent(\/deep)?(: no such file|: not a directory| is a symbolic link)/,
          );
      }
    }
  } finally {
    writeFileSync(stop, "");
    await swapper.exited;
  }
  const swaps = Number(await new Response(swapper.stdout).text());
  expect(swaps).toBeGreaterThan(100);
  expect(codes.get("OK")).toBeGreaterThan(10);
  expect(codes.get("MUTATION_FAILED")).toBeGreaterThan(10);
  for (const [path, count] of Object.entries(counts)) expect(at.read(path)).toBe(`${count}.`);
  expect(namesIn(at.outside)).toEqual(["deep", "file", "victim"]);
  expect(readFileSync(join(at.outside, "file"), "utf8")).toBe("0.");
  expect(readFileSync(join(at.outside, "deep/file"), "utf8")).toBe("0.");
  expect(namesIn(join(at.repo, "parent"))).toEqual(["deep", "file"]);
});

describe.each([
  ["by descriptor", "OK", "new"],
  ["by name", "MUTATION_FAILED", "old"],
] as const)(
  "a parent swapped for a link between two steps of the write, opened %s",
  (opening, code, content) => {
    const linux = process.platform === "linux";
    if (!linux) console.log("skipped: only Linux opens folders by descriptor");

    test.skipIf(opening === "by descriptor" && !linux).each(["created", "written", "flushed"] as const)(
      "after it was %s",
      (swapAt) => {
        at = bounded({ "parent/victim": "old" });
        const parent = join(at.repo, "parent");
        const swap = () => {
          renameSync(parent, `${parent} moved`);
          symlinkSync(at.outside, parent);
        };
        // A file of the temporary one's name, which is not ours to remove.
        writeFileSync(join(at.outside, ".satyrn-replacement.tmp"), "theirs");
        const seams = { opening, onStep: (step: string) => (step === swapAt ? swap() : undefined) };
        const answer = at.replace("parent/victim", [edit("old", "new")], {}, seams);
        expect(answer.code).toBe(code);
        if (!answer.ok) expect(answer.message).toBe("cannot replace parent/victim: its folder was replaced");
        expect(readFileSync(join(at.outside, "victim"), "utf8")).toBe("victim\n");
        expect(readFileSync(join(at.outside, ".satyrn-replacement.tmp"), "utf8")).toBe("theirs");
        expect(namesIn(at.outside)).toEqual([".satyrn-replacement.tmp", "victim"]);
        expect(readFileSync(join(`${parent} moved`, "victim"), "utf8")).toBe(content);
      },
    );

    test("and not swapped at all: OK", () => {
      at = bounded({ "parent/victim": "old" });
      expect(at.replace("parent/victim", [edit("old", "new")], {}, { opening }).code).toBe("OK");
      expect(at.read("parent/victim")).toBe("new");
      expect(namesIn(join(at.repo, "parent"))).toEqual(["victim"]);
    });
  },
);
