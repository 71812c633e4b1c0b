import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { engineEnvironment, findEngine } from "../../../src/pi/engine.ts";
import { repositoryVariables } from "../../../src/process/environment.ts";
import { trustedProgram } from "../../../src/process/trusted-program.ts";
import { temporaryFolder } from "../../support/repository.ts";

/** What the page on security tells every caller to drop. */
const advised = readFileSync(join(import.meta.dir, "../../../docs/security.md"), "utf8")
  .split("did not make itself should drop ")[1]
  ?.split(", or pass on")[0]
  ?.match(/(?<=`)[A-Z_]+\*?(?=`)/g);

test("the page on security names what to drop", () => {
  expect(advised).toContain("BUN_*");
  expect(advised?.length).toBeGreaterThanOrEqual(8);
});

test.each([
  ...repositoryVariables,
  "GIT_CONFIG_KEY_0",
  "GIT_CONFIG_VALUE_12",
  "BUN_OPTIONS",
  "MIMALLOC_VERBOSE",
  "SIMDUTF_FORCE_IMPLEMENTATION",
  "LD_PRELOAD",
  ...(advised ?? []).map((name) => name.replace("*", "ANY")),
])("the engine that Pi asks is started without %s", (name) => {
  expect(engineEnvironment({ [name]: "x", [name.toLowerCase()]: "x", HOME: "/home/x" })).toEqual({
    HOME: "/home/x",
  });
});

test.each(["PATH", "GIT_SSH_COMMAND", "GIT_CONFIG_GLOBAL", "NODE_EXTRA_CA_CERTS", "SATYRN_MUTATION_CONTEXT"])(
  "but with %s",
  (name) => {
    expect(engineEnvironment({ [name]: "x" })).toEqual({ [name]: "x" });
  },
);

describe("what Pi loads and the engine find the same program on PATH", () => {
  const name = process.platform === "win32" ? "satyrn-engine.exe" : "satyrn-engine";
  const { path: folder, dispose } = temporaryFolder();
  afterAll(dispose);
  const at = (place: string) => join(folder, place);

  beforeAll(() => {
    for (const place of ["empty", "file", "plain", "folder", "program", "second", "link", "dangling"]) {
      mkdirSync(at(place));
    }
    for (const place of ["plain", "program", "second"]) writeFileSync(at(join(place, name)), "");
    writeFileSync(at(join("file", "other")), "");
    for (const place of ["program", "second"]) chmodSync(at(join(place, name)), 0o755);
    chmodSync(at(join("plain", name)), 0o644);
    mkdirSync(at(join("folder", name)));
    symlinkSync(at(join("program", name)), at(join("link", name)));
    symlinkSync(at("nowhere"), at(join("dangling", name)));
  });

  test.each([
    [[], undefined],
    [["empty"], undefined],
    [["absent", "file/other", "folder"], undefined],
    [["plain"], process.platform === "win32" ? "plain" : undefined],
    [["dangling"], undefined],
    [["program", "second"], "program"],
    [["empty", "folder", "dangling", "second", "program"], "second"],
    [["link", "program"], "link"],
    [["program/../second"], "second"],
  ] as const)("in %j", (places, found) => {
    // What is relative, or empty, names the working directory and counts for neither.
    const path = ["", ".", "program", ...places.map(at), ""].join(delimiter);
    const expected = found === undefined ? undefined : at(join(found, name));
    expect(trustedProgram("satyrn-engine", path, [])).toBe(expected);
    const engine = findEngine({ PATH: path });
    expect("path" in engine ? engine.path : undefined).toBe(expected);
  });

  test("and none where PATH is not set", () => {
    expect(trustedProgram("satyrn-engine", undefined, [])).toBeUndefined();
    expect(findEngine({})).toHaveProperty("problem");
  });
});
