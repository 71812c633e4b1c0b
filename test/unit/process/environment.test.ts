import { describe, expect, test } from "bun:test";
import { pathAlone } from "../../../src/path-alone.ts";
import { commandEnvironment, repositoryVariables } from "../../../src/process/environment.ts";

describe("the environment of a command", () => {
  const caller = {
    PATH: "/bin",
    HOME: "/home/a",
    PWD: "/elsewhere",
    GIT_AUTHOR_NAME: "A",
    GIT_SSH: "ssh",
    EMPTY: "",
  };

  test("is the caller's, with prompts off and its own PWD", () => {
    expect(commandEnvironment(caller, "/srv/a tree", "linux")).toEqual({
      ...caller,
      PWD: "/srv/a tree",
      GIT_TERMINAL_PROMPT: "0",
    });
  });

  test.each([...repositoryVariables, "GIT_CONFIG_KEY_0", "GIT_CONFIG_VALUE_0", "GIT_CONFIG_KEY_17"])(
    "lacks %s",
    (name) => {
      expect(commandEnvironment({ ...caller, [name]: "x" }, "/w", "linux")).not.toHaveProperty(name);
    },
  );

  test("keeps other Git variables that look alike", () => {
    const kept = { GIT_CONFIG_GLOBAL: "g", GIT_CONFIG_NOSYSTEM: "1", GIT_DIR_OF_MINE: "d", git_dir: "lower" };
    expect(commandEnvironment(kept, "/w", "linux")).toMatchObject(kept);
  });

  test("turns prompts off although the caller turned them on", () => {
    expect(commandEnvironment({ GIT_TERMINAL_PROMPT: "1" }, "/w", "linux")).toMatchObject({
      GIT_TERMINAL_PROMPT: "0",
    });
  });

  test("leaves out a variable without a value", () => {
    expect(commandEnvironment({ A: undefined }, "/w", "linux")).not.toHaveProperty("A");
  });

  test("knows the names in any case on Windows", () => {
    const environment = commandEnvironment(
      { Git_Dir: "x", git_config_key_0: "y", Path: "p" },
      "C:\\w",
      "win32",
    );
    expect(environment).toEqual({ Path: "p", GIT_TERMINAL_PROMPT: "0" });
  });

  test("lacks on Windows what the engine set for itself, and keeps what its caller set", () => {
    const { name, value } = pathAlone;
    const only = (caller: Record<string, string>) => commandEnvironment(caller, "C:\\w", "win32");
    expect(only({ [name]: value })).toEqual({ GIT_TERMINAL_PROMPT: "0" });
    expect(only({ [name.toUpperCase()]: value })).toEqual({ GIT_TERMINAL_PROMPT: "0" });
    expect(only({ [name]: "1" })).toEqual({ [name]: "1", GIT_TERMINAL_PROMPT: "0" });
    expect(commandEnvironment({ [name]: value }, "/w", "linux")).toHaveProperty(name);
  });
});
