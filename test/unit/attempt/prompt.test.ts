import { expect, test } from "bun:test";
import { fittingArguments, promptOf } from "../../../src/attempt/prompt.ts";

const assignment = {
  task: "Count from 1.",
  files: ["src/b.py", "src/a.py"],
  writablePaths: ["src/*"],
  testCommand: null,
};

test("the prompt holds the task, the sorted files and the rules", () => {
  expect(promptOf(assignment)).toBe(
    "Task:\nCount from 1.\n\nWritable files:\nsrc/a.py\nsrc/b.py\n\n" +
      "You may read files with read. Use edit for every write. Do not create files.\n" +
      "Stop when the task is done.",
  );
});

test("with a test command it says that exactly this one can be run", () => {
  expect(promptOf({ ...assignment, testCommand: ["python", "-m", "pytest"] })).toContain(
    "bash runs exactly this command, and no other: python -m pytest\n",
  );
});

test("the first 200 files are listed, then the count and the patterns", () => {
  const files = Array.from({ length: 203 }, (_, at) => `src/${String(at).padStart(3, "0")}.py`);
  const prompt = promptOf({ ...assignment, files, writablePaths: ["src/*", "lib/*"] });
  expect(prompt).toContain("src/199.py\nand 3 more: every existing file that matches src/* or lib/*\n");
  expect(prompt).not.toContain("src/200.py");
  expect(promptOf({ ...assignment, files: files.slice(0, 200) })).not.toContain("more:");
});

test("it never begins with @, whatever the task does", () => {
  expect(promptOf({ ...assignment, task: "@secret.txt" })).toStartWith("Task:\n@secret.txt");
});

test("131,072 bytes an argument on Linux, its end included", () => {
  const fits = "é".repeat(65_535);
  expect(fittingArguments(["pi", fits], "linux").ok).toBe(true);
  expect(fittingArguments(["pi", `${fits}xx`], "linux")).toMatchObject({
    message: "it has 131073 bytes with its end, more than 131072",
  });
});

test("32,767 characters a command line on Windows", () => {
  expect(fittingArguments(["pi", "x".repeat(32_759)], "win32").ok).toBe(true);
  expect(fittingArguments(["pi", "x".repeat(32_760)], "win32")).toMatchObject({
    message: "the command line has 32768 characters, more than 32767",
  });
  expect(fittingArguments(["pi", '"'.repeat(20_000)], "win32").ok).toBe(false);
});
