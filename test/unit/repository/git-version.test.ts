import { expect, test } from "bun:test";
import { readTrace, requireVersion } from "../../../src/repository/git-version.ts";

const said = (stderr: string) => readTrace({ status: 0, stdout: Buffer.alloc(0), stderr });
const event = (version: string) => `{"event":"version","sid":"1","evt":"3","exe":"${version}"}\n`;

test("the version is in the first event, and people get the words without events", () => {
  const { version, run } = said(
    `${event("2.39.5")}{"event":"start"}\nwarning: one\n{"event":"exit"}\nfatal: two\n`,
  );
  expect([version, run.stderr]).toEqual(["2.39.5", "warning: one\nfatal: two\n"]);
});

test("what comes later, or is no event, is no version", () => {
  expect(said(`fatal: a\n${event("2.39.5")}`).version).toBeUndefined();
  expect(said("").version).toBeUndefined();
  expect(said('{"event":"start","exe":"2.39.5"}\n').version).toBeUndefined();
});

test.each([
  ["2.35.9", false],
  ["2.36.0", true],
  ["2.47.1.windows.2", true],
  ["2.39.5 (Apple Git-154)", true],
  ["3.0.0-rc1", true],
  ["1.99.0", false],
])("%s is new enough: %p", async (version, isEnough) => {
  const context = { program: "/nowhere", cwd: "/", env: {} };
  const suitable = await requireVersion(context, version);
  expect(suitable.ok ? true : suitable.message).toBe(
    isEnough || `git 2.36 or newer is needed, found git version ${version}`,
  );
});
