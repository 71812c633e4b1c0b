import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check } from "../../src/index.ts";

const folder = mkdtempSync(join(tmpdir(), "satyrn-check-"));
const file = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const contract = file("contract.yaml", "id: fix-login\ntask: Keep the session alive\n");
const invalid = file("invalid.yaml", "id: [\n");
const incomplete = file("incomplete.yaml", "id: fix-login\n");
const wrong = file("wrong.yaml", "id: fix-login\ntask: 7\n");
const missing = join(folder, "missing");
symlinkSync(folder, join(folder, "link"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("check", () => {
  test("accepts, and gives the contract with the bytes it was read from", () => {
    expect<unknown>(check({ repo: folder, contract })).toEqual({
      code: "OK",
      message: "",
      contract: { id: "fix-login", task: "Keep the session alive" },
      bytes: Buffer.from("id: fix-login\ntask: Keep the session alive\n"),
    });
  });

  test("takes a link to a directory for the repository", () => {
    expect(check({ repo: join(folder, "link"), contract }).code).toBe("OK");
  });

  test("refuses a repository that is missing, and still gives the contract", () => {
    expect(check({ repo: missing, contract })).toEqual({
      code: "REPO_UNAVAILABLE",
      message: `repository ${missing} is not available: no such file or directory (ENOENT)`,
      contract: { id: "fix-login", task: "Keep the session alive" },
    });
  });

  test("refuses a repository that is a file", () => {
    expect(check({ repo: contract, contract })).toMatchObject({
      code: "REPO_UNAVAILABLE",
      message: `repository ${contract} is not available: not a directory`,
    });
  });

  test.each([
    ["CONTRACT_UNREADABLE", missing, null],
    ["CONTRACT_INVALID_YAML", invalid, 2],
    ["CONTRACT_MISSING_FIELD", incomplete, null],
    ["CONTRACT_MISSING_FIELD", wrong, 2],
  ])("refuses %s before it looks at the repository, and tells the line: %s, %p", (code, path, line) => {
    expect(check({ repo: missing, contract: path })).toMatchObject({ code, line });
  });
});
