import { expect, test } from "bun:test";
import { engineEnvironment } from "../../../src/pi/engine.ts";
import { repositoryVariables } from "../../../src/process/environment.ts";

test.each([
  ...repositoryVariables,
  "GIT_CONFIG_KEY_0",
  "GIT_CONFIG_VALUE_12",
  "BUN_OPTIONS",
  "NODE_OPTIONS",
  "LD_PRELOAD",
])("the engine that Pi asks is started without %s", (name) => {
  expect(engineEnvironment({ [name]: "x", [name.toLowerCase()]: "x", HOME: "/home/x" })).toEqual({
    HOME: "/home/x",
  });
});

test.each(["PATH", "GIT_SSH_COMMAND", "GIT_CONFIG_GLOBAL", "SATYRN_MUTATION_CONTEXT"])(
  "but with %s",
  (name) => {
    expect(engineEnvironment({ [name]: "x" })).toEqual({ [name]: "x" });
  },
);
