/**
 * A runner that runs the steps of `action.yml` as GitHub's does, by what is documented: the few expressions they
 * hold, the environment, the files a step writes to, and the commands it prints.
 *
 * https://docs.github.com/actions/reference/workflows-and-actions/metadata-syntax
 * https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
 */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { gitEnvironment } from "./repository.ts";

export const actionFolder = join(import.meta.dir, "../..");

export interface ActionStep {
  readonly name: string;
  readonly id: string;
  readonly shell: string;
  readonly env: Readonly<Record<string, string>>;
  readonly run: string;
}

export interface ActionFile {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, { readonly description: string; readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly ActionStep[] };
}

/** `action.yml`, as the YAML parser reads it. */
export function readAction(): ActionFile {
  return parse(readFileSync(join(actionFolder, "action.yml"), "utf8")) as ActionFile;
}

export interface Workflow {
  /** Holds the runner's own files; the workspace is anywhere. */
  readonly folder: string;
  /** Where the steps run. */
  readonly workspace: string;
  readonly with: Readonly<Record<string, string>>;
  /** The environment of the job. */
  readonly env?: Readonly<Record<string, string>>;
  readonly serverUrl?: string;
  /** The action's repository; empty for an action that is used by its path. */
  readonly actionRepository?: string;
  /** Asked again and again while a step runs: once it is so, the step gets SIGINT. */
  readonly cancelled?: () => boolean;
}

export interface Annotation {
  readonly level: string;
  readonly message: string;
  readonly properties: Readonly<Record<string, string>>;
}

export interface Job {
  /** The status of the last step that ran. */
  readonly status: number;
  readonly outputs: Readonly<Record<string, string>>;
  readonly annotations: readonly Annotation[];
  /** Commands that were obeyed, beside annotations and the two that stop and resume them. */
  readonly obeyed: readonly string[];
  /** What the job's later steps would find in their environment and on their PATH. */
  readonly exported: string;
  readonly summary: string;
  /** Everything that was printed. */
  readonly log: string;
  /** Whether the runner would obey the next step of the job. */
  readonly listening: boolean;
  /** The runner's folder for temporary files. */
  readonly temporary: string;
}

/** Runs every step of the action, until one fails. */
export async function runAction(workflow: Workflow): Promise<Job> {
  const { inputs, outputs, runs } = readAction();
  const temporary = mkdtempSync(join(workflow.folder, "runner temp "));
  const files = join(temporary, "_runner_file_commands");
  mkdirSync(files);
  const context: Context = {
    inputs: Object.fromEntries(
      Object.entries(inputs).map(([name, input]) => [name, workflow.with[name] ?? input.default ?? ""]),
    ),
    github: { action_repository: workflow.actionRepository ?? "" },
    steps: {},
  };
  const commands = listen();
  const job = { status: 0, exported: "", summary: "", log: "" };
  for (const [index, step] of runs.steps.entries()) {
    const file = (name: string) => join(files, `${name}_${index}`);
    for (const name of Object.values(stepFiles)) writeFileSync(file(name), "");
    const script = join(temporary, `${index}.sh`);
    writeFileSync(script, step.run);
    const child = Bun.spawn([...shellCommand(step.shell), script], {
      cwd: workflow.workspace,
      env: {
        ...gitEnvironment(),
        ...workflow.env,
        ...defaults(workflow, temporary),
        ...Object.fromEntries(Object.entries(stepFiles).map(([name, each]) => [name, file(each)])),
        ...Object.fromEntries(
          Object.entries(step.env).map(([name, text]) => [name, evaluate(text, context)]),
        ),
      },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const watch = setInterval(() => {
      if (!workflow.cancelled?.()) return;
      clearInterval(watch);
      child.kill("SIGINT");
    }, 20);
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    clearInterval(watch);
    job.status = await child.exited;
    job.log += stderr + stdout;
    // The runner reads two streams, in no promised order.
    for (const line of [...linesOf(stderr), ...linesOf(stdout)]) commands.take(line);
    const read = (name: string) => readFileSync(file(name), "utf8");
    context.steps[step.id] = { outputs: readAssignments(read("output")) };
    job.exported += read("env") + read("path");
    job.summary += read("summary");
    if (job.status !== 0) break;
  }
  return {
    ...job,
    ...commands.heard(),
    outputs: Object.fromEntries(
      Object.entries(outputs).map(([name, { value }]) => [name, evaluate(value, context)]),
    ),
    temporary,
  };
}

const stepFiles = {
  GITHUB_OUTPUT: "output",
  GITHUB_ENV: "env",
  GITHUB_PATH: "path",
  GITHUB_STATE: "state",
  GITHUB_STEP_SUMMARY: "summary",
} as const;

function defaults(workflow: Workflow, temporary: string): Record<string, string> {
  return {
    CI: "true",
    GITHUB_ACTIONS: "true",
    GITHUB_ACTION_PATH: actionFolder,
    GITHUB_SERVER_URL: workflow.serverUrl ?? "https://github.com",
    GITHUB_WORKSPACE: workflow.workspace,
    RUNNER_OS: { darwin: "macOS", win32: "Windows" }[process.platform as string] ?? "Linux",
    RUNNER_TEMP: temporary,
  };
}

/** The documented command line of `shell: bash`; the action uses no other. */
function shellCommand(shell: string): readonly string[] {
  if (shell !== "bash") throw new Error(`no such shell here: ${shell}`);
  return ["bash", "--noprofile", "--norc", "-eo", "pipefail"];
}

interface Context {
  readonly inputs: Readonly<Record<string, string>>;
  readonly github: Readonly<Record<string, string>>;
  readonly steps: Record<string, { readonly outputs: Readonly<Record<string, string>> }>;
}

/** `text` with its expressions replaced. An expression is one name; what it leads to may be missing, and is empty then. */
export function evaluate(text: string, context: Context): string {
  return text.replace(/\$\{\{(.*?)\}\}/gs, (_, written: string) => {
    const [first = "", ...path] = written.trim().split(".");
    if (!/^(inputs|github|steps)$/.test(first) || path.length === 0)
      throw new Error(`no such context: ${written}`);
    let value: unknown = context[first as keyof Context];
    for (const name of path) value = (value as Readonly<Record<string, unknown>> | undefined)?.[name];
    if (typeof value === "object") throw new Error(`not a value: ${written}`);
    return value === undefined ? "" : String(value);
  });
}

/** A lone carriage return ends a line, too. */
function linesOf(text: string): readonly string[] {
  return text.split(/\r\n|\r|\n/);
}

/** The file of a step's outputs: `name=value` lines, and values of several lines between two of a delimiter. */
export function readAssignments(text: string): Readonly<Record<string, string>> {
  const assigned: Record<string, string> = {};
  const lines = text.split("\n");
  while (lines.length > 0) {
    const line = lines.shift() ?? "";
    if (line === "") continue;
    const block = /^([^=]*?)<<(.*)$/.exec(line);
    if (block === null) {
      const at = line.indexOf("=");
      if (at < 1) throw new Error(`invalid format: ${line}`);
      assigned[line.slice(0, at)] = line.slice(at + 1);
      continue;
    }
    const end = lines.indexOf(block[2] ?? "");
    if (!block[1] || !block[2] || end < 0) throw new Error(`invalid value, or no delimiter: ${line}`);
    assigned[block[1]] = lines
      .splice(0, end + 1)
      .slice(0, -1)
      .join("\n");
  }
  return assigned;
}

/** The commands a runner knows. */
export const known = ["error", "warning", "notice", "debug", "group", "endgroup", "add-mask", "add-matcher"];
known.push("remove-matcher", "echo", "set-output", "save-state", "set-env", "add-path");

/** Obeys lines as a runner does, in both of the forms it knows. */
function listen() {
  const annotations: Annotation[] = [];
  const obeyed: string[] = [];
  let token: string | null = null;
  const take = (line: string): void => {
    const registered = new Set([...known, "stop-commands", ...(token === null ? [] : [token.toLowerCase()])]);
    const command = readCommand(line, registered);
    if (command === null) return;
    const name = command.name.toLowerCase();
    if (token !== null) {
      if (name === token.toLowerCase()) token = null;
    } else if (name === "stop-commands") {
      token = command.data;
    } else if (/^(error|warning|notice)$/.test(name)) {
      annotations.push({ level: name, message: command.data, properties: command.properties });
    } else {
      obeyed.push(line);
    }
  };
  return { take, heard: () => ({ annotations, obeyed, listening: token === null }) };
}

interface WorkflowCommand {
  readonly name: string;
  readonly data: string;
  readonly properties: Readonly<Record<string, string>>;
}

/** `::name key=value,key=value::data` at the start of a line, or `##[name key=value;key=value]data` anywhere in it. */
export function readCommand(line: string, registered: ReadonlySet<string>): WorkflowCommand | null {
  const forms = [
    [/^\s*::([^ ]*?)(?: (.*?))?::(.*)$/s, ","],
    [/##\[([^ \]]*)(?: ([^\]]*))?\](.*)$/s, ";"],
  ] as const;
  for (const [form, separator] of forms) {
    const [, name, properties = "", data = ""] = form.exec(line) ?? [];
    if (name === undefined || !registered.has(name.toLowerCase())) continue;
    const pairs = properties.split(separator).map((pair) => {
      const at = pair.indexOf("=");
      return [pair.slice(0, at).trim(), unescaped(pair.slice(at + 1))] as const;
    });
    return {
      name,
      data: unescaped(data),
      properties: Object.fromEntries(pairs.filter(([key]) => key !== "")),
    };
  }
  return null;
}

function unescaped(text: string): string {
  return text
    .replaceAll("%0D", "\r")
    .replaceAll("%0A", "\n")
    .replaceAll("%3A", ":")
    .replaceAll("%2C", ",")
    .replaceAll("%25", "%");
}
