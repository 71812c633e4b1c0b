import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { commandLine, type System } from "../../../src/process/command-line.ts";
import { readShim, type Shim } from "../../../src/process/shim.ts";

const shim = (name: string) =>
  readFileSync(join(import.meta.dir, "../../../fixtures/acceptance/shims", name), "utf8");
const cli = { kind: "node", options: [], script: "pkg\\lib\\cli.js" } as const;
const npmBin = "node_modules\\npm\\bin";

describe("what a shim starts", () => {
  test.each<[string, Shim]>([
    ["npm.cmd", { kind: "npm", prefixScript: `${npmBin}\\npm-prefix.js`, script: `${npmBin}\\npm-cli.js` }],
    ["npx.cmd", { kind: "npm", prefixScript: `${npmBin}\\npm-prefix.js`, script: `${npmBin}\\npx-cli.js` }],
    ["cmd-shim.cmd", cli],
    ["cmd-shim-node-option.cmd", { kind: "node", options: ["--no-warnings"], script: "pkg\\lib\\opt.js" }],
    ["cmd-shim-variable.cmd", { kind: "other" }],
    ["cmd-shim-shell.cmd", { kind: "other" }],
    ["pnpm-shim.cmd", cli],
    ["pnpm-shim-node-option.cmd", { kind: "node", options: ["--no-warnings"], script: "pkg\\lib\\opt.js" }],
    ["pnpm-shim-node-path.cmd", { kind: "sets NODE_PATH" }],
    ["pnpm-shim-shell.cmd", { kind: "other" }],
    ["corepack-yarn.cmd", { kind: "node", options: [], script: "node_modules\\corepack\\dist\\yarn.js" }],
    ["corepack-pnpm.cmd", { kind: "node", options: [], script: "..\\dist\\pnpm.js" }],
    ["yarn.cmd", { kind: "node", options: [], script: "yarn.js" }],
    ["yarnpkg.cmd", { kind: "shim", shim: "yarn.cmd" }],
    ["batch-file.cmd", { kind: "other" }],
  ])("%s", (name, start) => expect(readShim(shim(name))).toEqual(start));

  test("a line more or less makes it another batch file", () => {
    for (const name of ["npm.cmd", "cmd-shim.cmd", "pnpm-shim.cmd", "yarn.cmd"]) {
      expect(readShim(`${shim(name)}del /q x\r\n`)).toEqual({ kind: "other" });
      expect(readShim(shim(name).split("\n").slice(0, -3).join("\n"))).toEqual({ kind: "other" });
    }
  });
});

describe("on Windows", () => {
  const bin = "C:\\Program Files\\nodejs";
  const run = (argv: readonly string[], files: Readonly<Record<string, string>>, printed?: string) =>
    commandLine({ argv }, "D:\\work", { Path: `${bin};.;C:\\tools` }, windows(files, printed));

  test("npm defers to the npm of the global prefix, asked for in the worktree", async () => {
    const prefix = "C:\\Users\\me\\AppData\\Roaming\\npm";
    const files = {
      [`${bin}\\npm.cmd`]: shim("npm.cmd"),
      [`${bin}\\node.exe`]: "",
      [`${prefix}\\${npmBin}\\npm-cli.js`]: "",
    };
    const vector = await run(["npm", "test", "a b"], files, `${prefix}\r\n`);
    expect(vector).toMatchObject({
      value: { argv: [`${bin}\\node.exe`, `${prefix}\\${npmBin}\\npm-cli.js`, "test", "a b"] },
    });
  });

  test("npm is its own where the prefix has none, or cannot be told", async () => {
    const files = { [`${bin}\\npm.cmd`]: shim("npm.cmd"), [`${bin}\\node.exe`]: "" };
    const own = { value: { argv: [`${bin}\\node.exe`, `${bin}\\${npmBin}\\npm-cli.js`, "test"] } };
    expect(await run(["npm", "test"], files, "C:\\nowhere\n")).toMatchObject(own);
    expect(await run(["npm.cmd", "test"], files)).toMatchObject(own);
  });

  test("node.exe beside the shim comes before the one on PATH", async () => {
    const files = { "C:\\tools\\x.cmd": shim("cmd-shim.cmd"), [`${bin}\\node.exe`]: "" };
    const script = "C:\\tools\\pkg\\lib\\cli.js";
    expect(await run(["x"], files)).toMatchObject({ value: { argv: [`${bin}\\node.exe`, script] } });
    const both = { ...files, "C:\\tools\\node.exe": "" };
    expect(await run(["x"], both)).toMatchObject({ value: { argv: ["C:\\tools\\node.exe", script] } });
  });

  test("a shim in the worktree, named by its path", async () => {
    const files = { "D:\\work\\node_modules\\.bin\\x.CMD": shim("pnpm-shim.cmd"), [`${bin}\\node.exe`]: "" };
    expect(await run(["node_modules\\.bin\\x.CMD"], files)).toMatchObject({
      value: { argv: [`${bin}\\node.exe`, "D:\\work\\node_modules\\.bin\\pkg\\lib\\cli.js"] },
    });
  });

  test("yarn's second name leads to its first", async () => {
    const files = { "C:\\tools\\yarnpkg.cmd": shim("yarnpkg.cmd"), [`${bin}\\node.exe`]: "" };
    expect(await run(["yarnpkg"], files)).toMatchObject({ ok: false });
    expect(await run(["yarnpkg"], { ...files, "C:\\tools\\yarn.cmd": shim("yarn.cmd") })).toMatchObject({
      value: { argv: [`${bin}\\node.exe`, "C:\\tools\\yarn.js"] },
    });
  });

  test("any other batch file is refused, with what to do", async () => {
    const refused = await run(["x"], { "C:\\tools\\x.cmd": shim("batch-file.cmd") });
    expect(refused).toMatchObject({
      message: "'C:\\tools\\x.cmd' is a batch file: use argv with an explicit interpreter",
    });
    const routed = await run(["x"], { "C:\\tools\\x.cmd": shim("pnpm-shim-node-path.cmd") });
    expect(routed).toMatchObject({
      message: "'C:\\tools\\x.cmd' sets NODE_PATH: use argv with an explicit interpreter",
    });
    const alone = await run(["x"], { "C:\\tools\\x.cmd": shim("cmd-shim.cmd") });
    expect(alone).toMatchObject({ message: "'C:\\tools\\x.cmd' needs node.exe, which is not on PATH" });
  });

  test("a program is a program, and a shell line goes to the shell", async () => {
    expect(await run(["tool", "a"], { "C:\\tools\\tool.exe": "" })).toMatchObject({
      value: { argv: ["tool", "a"] },
    });
    expect(await run(["missing"], {})).toMatchObject({ value: { argv: ["missing"] } });
    const line = await commandLine(
      { cmd: 'echo "a b"' },
      "D:\\work",
      { ComSpec: "C:\\cmd.exe" },
      windows({}),
    );
    expect(line).toMatchObject({
      value: { argv: ["C:\\cmd.exe", "/d", "/s", "/c", '"echo "a b""'], verbatim: true },
    });
  });
});

test("elsewhere a shell line goes to sh, and an argument vector stays what it is", async () => {
  const posix = { ...windows({}), platform: "linux" };
  expect(await commandLine({ cmd: "a && b" }, "/", {}, posix)).toMatchObject({
    value: { argv: ["/bin/sh", "-c", "a && b"] },
  });
  expect(await commandLine({ argv: ["npm.cmd", ""] }, "/", {}, posix)).toMatchObject({
    value: { argv: ["npm.cmd", ""] },
  });
});

function windows(files: Readonly<Record<string, string>>, printed?: string): System {
  return {
    platform: "win32",
    isFile: (path) => path in files,
    read: (path) => files[path] ?? "",
    runNode: async (_, script, directory) =>
      script.endsWith("npm-prefix.js") && directory === "D:\\work" ? printed : undefined,
  };
}
