import { describe, expect, test } from "bun:test";
import { decidingFiles, isPlain, parseConfiguration } from "../../../src/repository/configuration.ts";

type Entry = readonly [scope: string, origin: string, setting: string];

const local: Entry = ["local", "file:.git/config", "core.bare\nfalse"];
const own: Entry = ["global", "file:/home/me/.gitconfig", "user.name\nMe"];
const system: Entry = ["system", "file:/etc/gitconfig", "core.autocrlf\ninput"];
const env = { HOME: "/home/me" };

const listing = (...entries: readonly Entry[]) =>
  parseConfiguration(Buffer.from(entries.map((entry) => `${entry.join("\0")}\0`).join("")));

test("a listing is settings, and where they stand; the engine's own are left out", () => {
  const engines: Entry = ["command", "command line:", "gc.auto\n0"];
  expect(listing(system, local, engines, ["local", "file:.git/config", "core.x"])).toEqual({
    settings: ["core.autocrlf\ninput", "core.bare\nfalse", "core.x"],
    origins: [
      { scope: "system", origin: "file:/etc/gitconfig" },
      { scope: "local", origin: "file:.git/config" },
    ],
    sharing: null,
  });
  expect(listing()).toEqual({ settings: [], origins: [], sharing: null });
});

test("how a repository is shared is read in its own file alone, and the last word counts", () => {
  const shared = (value: string, origin = "file:.git/config", scope = "local"): Entry => {
    return [scope, origin, `core.sharedrepository${value}`];
  };
  const group = { bits: 0o660, inPlace: false };
  expect(listing(local, shared("\n0640"), shared("\ngroup")).sharing).toEqual(group);
  expect(listing(shared("")).sharing).toEqual(group);
  expect(listing(shared("\ngroup"), shared("\numask")).sharing).toBeNull();
  expect(listing(shared("\nall", "file:/home/me/.gitconfig", "global"), local).sharing).toBeNull();
  expect(listing(local, shared("\nall", "file:.git/included")).sharing).toBeNull();
});

describe("the files that decide", () => {
  test("are the person's, there or not, and the repository's", () => {
    const files = ["/home/me/.config/git/config", "/home/me/.gitconfig", "/r/.git/config"];
    expect(decidingFiles(listing(own, local), "/r/.git", env, "linux")).toEqual({
      files,
      readsSystem: false,
    });
    expect(decidingFiles(listing(local), "/r/.git", env, "linux")?.files).toEqual(files);
  });
  test("are the system's too, if it says anything", () => {
    const found = decidingFiles(listing(system, local), "/r/.git", env, "linux");
    expect([found?.files[0], found?.readsSystem]).toEqual(["/etc/gitconfig", true]);
  });
  test("are those that the environment names", () => {
    const named = { ...env, GIT_CONFIG_GLOBAL: "/x", XDG_CONFIG_HOME: "/xdg" };
    expect(decidingFiles(listing(local), "/r/.git", named, "linux")?.files).toEqual(["/x", "/r/.git/config"]);
    const found = decidingFiles(listing(local), "/r/.git", { XDG_CONFIG_HOME: "/xdg" }, "linux");
    expect(found?.files).toEqual(["/xdg/git/config", "/r/.git/config"]);
    expect(decidingFiles(listing(local), "/r/.git", {}, "linux")?.files).toEqual(["/r/.git/config"]);
  });
  const unknown: Record<string, readonly Entry[]> = {
    "with an include": [local, ["local", "file:.git/config", "include.path\nx"]],
    "with a conditional include": [["global", own[1], "includeIf.onbranch:x.path\nx"], local],
    "with configuration of a worktree's own": [
      local,
      ["local", "file:.git/config", "extensions.worktreeconfig\ntrue"],
    ],
    "where refs are a table": [local, ["local", "file:.git/config", "extensions.refstorage\nreftable"]],
    "of a scope that is not known": [local, ["worktree", "file:.git/config.worktree", "a.b\nc"]],
    "from what is no file": [local, ["global", "blob:x", "a.b\nc"]],
    "from a person's file in another place": [local, ["global", "file:/elsewhere/config", "a.b\nc"]],
    "from two files of the system's": [local, system, ["system", "file:/usr/etc/gitconfig", "a.b\nc"]],
    "from two files of the repository's": [local, ["local", "file:/other/config", "a.b\nc"]],
  };
  test.each(Object.entries(unknown))("cannot be told %s", (_, entries) => {
    expect(decidingFiles(listing(...entries), "/r/.git", env, "linux")).toBeUndefined();
  });
  test.each(["darwin", "win32"])("cannot be told on %s, whose Git may be installed with more", (platform) => {
    expect(decidingFiles(listing(local), "/r/.git", env, platform)).toBeUndefined();
  });
});

describe("a plain repository", () => {
  test.each(["extensions.objectformat\nsha256", "extensions.partialclone\norigin", "core.bare\nfalse"])(
    "may say %j",
    (setting) => {
      expect(isPlain(listing(local, ["local", "file:.git/config", setting]), "linux")).toBe(true);
    },
  );
  test.each([
    "extensions.refstorage\nreftable",
    "extensions.worktreeconfig\ntrue",
    "extensions.relativeworktrees\ntrue",
    "extensions.unheardof\nx",
    "core.sharedrepository\ngroup",
  ])("does not say %j", (setting) => {
    expect(isPlain(listing(local, ["local", "file:.git/config", setting]), "linux")).toBe(false);
  });
  test("is none on Windows, where Git spells paths in its own way", () => {
    expect(isPlain(listing(local), "win32")).toBe(false);
  });
});
