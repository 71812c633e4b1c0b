import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createEvidenceFile, makeRunFolder } from "../../../src/acceptance/evidence.ts";
import { temporaryFolder } from "../../support/repository.ts";

let root: string;
let dispose: () => void;
beforeEach(() => {
  ({ path: root, dispose } = temporaryFolder());
});
afterEach(() => dispose());

test("a run's number is one more than the largest there is", () => {
  const numbers = () => {
    const made = makeRunFolder(root);
    return made.ok ? made.value.recorded("x") : made.message;
  };
  expect(numbers()).toBe(".devlyn/loop/runs/1/x");
  expect(numbers()).toBe(".devlyn/loop/runs/2/x");
  mkdirSync(join(root, ".devlyn/loop/runs/41"));
  mkdirSync(join(root, ".devlyn/loop/runs/notes"));
  writeFileSync(join(root, ".devlyn/loop/runs/99.txt"), "");
  expect(numbers()).toBe(".devlyn/loop/runs/42/x");
});

test("a link in the place of the loop's folders is not followed", () => {
  symlinkSync("/", join(root, ".devlyn"));
  expect(makeRunFolder(root)).toEqual({
    ok: false,
    code: "NO_EVIDENCE",
    message: ".devlyn is not a folder",
  });
});

test("a stream's file is new, and a failure is kept instead of thrown", () => {
  const folder = { path: root, recorded: (name: string) => `runs/1/${name}` };
  const file = createEvidenceFile(folder, "cmd-0.stdout");
  file.write(Buffer.from("a"));
  file.write(Buffer.from("b"));
  expect(file.close()).toBeUndefined();
  expect(readFileSync(join(root, "cmd-0.stdout"), "utf8")).toBe("ab");
  const again = createEvidenceFile(folder, "cmd-0.stdout");
  again.write(Buffer.from("c"));
  expect(again.close()).toStartWith("runs/1/cmd-0.stdout cannot be written: ");
  expect(readFileSync(join(root, "cmd-0.stdout"), "utf8")).toBe("ab");
  expect(readdirSync(root)).toEqual(["cmd-0.stdout"]);
});
