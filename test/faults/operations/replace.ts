/** A bounded replacement, asked for by the protocol. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { engine } from "../../support/engine.ts";
import { temporaryFolder } from "../../support/repository.ts";
import {
  isPause,
  isStrikingStdout,
  type Operation,
  parsed,
  type Run,
  sha256,
  struckRemoval,
  type World,
} from "../operation.ts";
import { environmentIn } from "./world.ts";

const [old, fresh] = ["old line\n".repeat(1000), "new line\n".repeat(1000)];

export const replace: Operation = {
  name: "replace",
  async world(): Promise<World> {
    const { path: folder, dispose } = temporaryFolder("satyrn fäults ");
    const repo = join(folder, "repo");
    mkdirSync(join(repo, "src"), { recursive: true });
    const file = join(repo, "src/file");
    writeFileSync(file, old, { mode: 0o640 });
    writeFileSync(join(repo, "src/other"), "a");
    const contract = join(folder, "contract.yaml");
    writeFileSync(contract, 'id: bounded\ntask: change something\nwritable_paths: ["src/*"]\n');
    const env = environmentIn(folder);
    const request = (path: string, was: string, old_text: string, new_text: string) =>
      JSON.stringify({
        ...{ version: 1, operation: "replace", repo, contract, path },
        expected_sha256: sha256(was),
        ...{ old_text, new_text },
      });
    const ask = async (text: string) => JSON.parse((await engine(["protocol"], { env, stdin: text })).stdout);
    let rival: Promise<Record<string, unknown>> | undefined;
    return {
      folder,
      cwd: folder,
      env,
      argv: ["protocol"],
      stdin: request("src/file", old, old, fresh),
      // Asks for another replacement of the same revision: one of the two wins.
      async interfere(release) {
        rival = ask(request("src/file", old, "old line\n".repeat(1000), "rival"));
        await Bun.sleep(60);
        release();
        await rival;
        return [];
      },
      async judge(run) {
        const problems: string[] = [];
        const text = readFileSync(file, "utf8");
        const rivalCode = (await rival)?.["code"];
        const code = answered(run, text, rivalCode === "OK", problems);
        if (![old, fresh, "rival"].includes(text)) problems.push("the file is neither old nor new");
        if ((text === "rival") !== (rivalCode === "OK")) problems.push(`the rival got ${rivalCode}`);
        if (isPause(run.at?.fault) && rivalCode !== "OK" && rivalCode !== "REVISION_STALE") {
          problems.push(`the rival got ${rivalCode}`);
        }
        const left = readdirSync(join(repo, "src")).filter((name) => name !== "file" && name !== "other");
        if (!run.killed && left.length > 0 && !struckRemoval(run))
          problems.push(`left after ${code}: ${left}`);
        const next = await ask(request("src/other", "a", "a", "b"));
        if (next.code !== "OK") problems.push(`the next replacement got ${next.code}: ${next.message}`);
        const names = readdirSync(join(repo, "src")).sort();
        if (names.join() !== "file,other") problems.push(`left by the next replacement: ${names}`);
        if (readdirSync(env["TMPDIR"] ?? "").length > 0) problems.push("a temporary folder is left");
        const state = text === old ? "old" : "new";
        return {
          problems,
          found: `${run.killed ? "killed" : (code ?? "cut off")}, ${state}, ${left.length === 0 ? "nothing left" : "removed by the next"}`,
        };
      },
      dispose,
    };
  },
};

/** The code of the response, which must be true. */
function answered(run: Run, text: string, isRivalsWin: boolean, problems: string[]): string | undefined {
  if (run.killed && !run.stdout.endsWith("\n")) return undefined;
  if (isStrikingStdout(run) && !run.stdout.endsWith("\n")) {
    if (run.status !== 1) problems.push(`its result was cut off, and it exited ${run.status}`);
    return undefined;
  }
  const response = parsed(run.stdout, "stdout", problems);
  if (response === undefined) return undefined;
  const { code, result } = response as { code: string; result?: { sha256?: string } };
  const isOk = code === "OK";
  if (isOk !== (text === fresh))
    problems.push(`it says ${code}, and the file is ${text === old ? "old" : "new"}`);
  if (isOk && result?.sha256 !== sha256(text)) problems.push("it gives another revision than the file has");
  if (!run.killed && (run.status === 0) !== isOk) problems.push(`${code} exited ${run.status}`);
  if (isPause(run.at?.fault) && code !== (isRivalsWin ? "REVISION_STALE" : "OK"))
    problems.push(`released, it got ${code}`);
  return code;
}
