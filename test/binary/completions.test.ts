import { describe, expect, test } from "bun:test";
import { loadAll } from "../../src/cli/commands.ts";
import { shells } from "../../src/cli/completion/shells.ts";
import { engine } from "../support/engine.ts";

describe("completions", () => {
  test.each(Object.keys(shells))("%s prints its script, made from the table of commands", async (name) => {
    const stdout = shells[name]?.script(await loadAll()) ?? "";
    expect(stdout).toContain("satyrn-engine");
    expect(await engine(["completions", name])).toEqual({ status: 0, signal: null, stdout, stderr: "" });
  });

  test.each(["tcsh", "constructor", "BASH"])("%s is refused, and what there is named", async (name) => {
    const run = await engine(["completions", name]);
    expect(run).toMatchObject({ status: 2, stdout: "" });
    expect(run.stderr).toContain(
      `there are completions for bash, zsh, fish, powershell, not for "${name}"\n`,
    );
  });
});
