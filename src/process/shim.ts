/**
 * Reads the batch files that Node's package managers put on PATH on Windows, to start what they start
 * without handing arguments to `cmd.exe`, which reads them a second time.
 *
 * Layouts: npm's own `npm.cmd` and `npx.cmd`; cmd-shim (what npm installs); @zkochan/cmd-shim (pnpm and
 * corepack); yarn's. A file is known by all of its lines: one more could change what it does.
 */

export type Shim =
  /** Starts Node with options and a script. */
  | { readonly kind: "node"; readonly options: readonly string[]; readonly script: string }
  /** npm's own: the script of the global prefix, which `prefixScript` prints, comes before this one. */
  | { readonly kind: "npm"; readonly prefixScript: string; readonly script: string }
  /** yarn's second name: another shim of this folder. */
  | { readonly kind: "shim"; readonly shim: string }
  | { readonly kind: "sets NODE_PATH" }
  | { readonly kind: "other" };

/** What the batch file `text` starts. Scripts are relative to its folder, or absolute; `\`-separated. */
export function readShim(text: string): Shim {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim().replace(/^@/, ""))
    .filter((line) => line !== "" && !line.startsWith("::"));
  if (lines.some((line) => /^SET\s+"?NODE_PATH=/i.test(line))) return { kind: "sets NODE_PATH" };
  return readInstalled(lines) ?? readPaired(lines) ?? readPlain(lines) ?? readNpm(lines) ?? { kind: "other" };
}

/** cmd-shim: finds Node into `_prog` first, then starts it in one line. */
function readInstalled(lines: readonly string[]): Shim | undefined {
  const start = lines.at(-1)?.replace(/^endLocal & goto #_undefined_# 2>NUL \|\| title %COMSPEC% & /i, "");
  if (start === undefined || !sameLines(lines.slice(0, -1), installedHead)) return undefined;
  return readStart(start, '"%_prog%"');
}

const installedHead = [
  "ECHO off",
  "GOTO start",
  ":find_dp0",
  "SET dp0=%~dp0",
  "EXIT /b",
  ":start",
  "SETLOCAL",
  "CALL :find_dp0",
  'IF EXIST "%dp0%\\node.exe" (',
  'SET "_prog=%dp0%\\node.exe"',
  ") ELSE (",
  'SET "_prog=node"',
  "SET PATHEXT=%PATHEXT:;.JS;=;%",
  ")",
];

/** @zkochan/cmd-shim: one start with the Node beside the shim, the same with the one on PATH. */
function readPaired(lines: readonly string[]): Shim | undefined {
  const [head, open, beside, otherwise, pathext, onPath, close] =
    lines[0]?.toUpperCase() === "SETLOCAL" ? lines : ["SETLOCAL", ...lines];
  const frame = [head, open, otherwise, pathext, close];
  if (lines.length > 7 || !sameLines(frame, pairedFrame)) return undefined;
  const first = readStart(beside ?? "", '"%~dp0\\node.exe"');
  const second = readStart(onPath ?? "", "node");
  return JSON.stringify(first) === JSON.stringify(second) ? first : undefined;
}

const pairedFrame = [
  "SETLOCAL",
  'IF EXIST "%~dp0\\node.exe" (',
  ") ELSE (",
  "SET PATHEXT=%PATHEXT:;.JS;=;%",
  ")",
];

/** yarn's own: Node from PATH, or another shim, in one line. */
function readPlain(lines: readonly string[]): Shim | undefined {
  if (lines.length !== 2 || lines[0]?.toLowerCase() !== "echo off") return undefined;
  const shim = /^"%~dp0\\([\w.-]+\.cmd)" %\*$/i.exec(lines[1] ?? "")?.[1];
  return shim === undefined ? readStart(lines[1] ?? "", "node") : { kind: "shim", shim };
}

function readNpm(lines: readonly string[]): Shim | undefined {
  for (const name of ["npm", "npx"]) {
    if (sameLines(lines, npmLines(name))) {
      const folder = "node_modules\\npm\\bin";
      return { kind: "npm", prefixScript: `${folder}\\npm-prefix.js`, script: `${folder}\\${name}-cli.js` };
    }
  }
  return undefined;
}

function npmLines(name: string): readonly string[] {
  const cli = `${name.toUpperCase()}_CLI_JS`;
  const script = `node_modules\\npm\\bin\\${name}-cli.js`;
  return [
    "ECHO OFF",
    "SETLOCAL",
    'SET "NODE_EXE=%~dp0\\node.exe"',
    'IF NOT EXIST "%NODE_EXE%" (',
    'SET "NODE_EXE=node"',
    ")",
    'SET "NPM_PREFIX_JS=%~dp0\\node_modules\\npm\\bin\\npm-prefix.js"',
    `SET "${cli}=%~dp0\\${script}"`,
    `FOR /F "delims=" %%F IN ('CALL "%NODE_EXE%" "%NPM_PREFIX_JS%"') DO (`,
    `SET "NPM_PREFIX_${cli}=%%F\\${script}"`,
    ")",
    `IF EXIST "%NPM_PREFIX_${cli}%" (`,
    `SET "${cli}=%NPM_PREFIX_${cli}%"`,
    ")",
    `"%NODE_EXE%" "%${cli}%" %*`,
  ];
}

/** `program option ... "script" %*` */
function readStart(line: string, program: string): Shim | undefined {
  if (!line.toLowerCase().startsWith(`${program.toLowerCase()} `)) return undefined;
  const parts = /^((?:--?[\w=.:/-]+\s+)*)"(?:(?:%~dp0|%dp0%)\\)?([^"%]+)" %\*$/.exec(
    line.slice(program.length).trim(),
  );
  const [, options, script] = parts ?? [];
  if (options === undefined || script === undefined) return undefined;
  return { kind: "node", options: options.split(/\s+/).filter(Boolean), script };
}

function sameLines(lines: readonly (string | undefined)[], wanted: readonly string[]): boolean {
  return (
    lines.length === wanted.length &&
    wanted.every((line, index) => line.toLowerCase() === lines[index]?.toLowerCase())
  );
}
