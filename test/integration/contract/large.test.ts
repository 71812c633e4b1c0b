import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadContract } from "../../../src/contract/load.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "satyrn-contract-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

test("a mapping of 60,000 keys takes seconds at most", () => {
  const minimal = "id: fix-login\ntask: Keep the session alive\n";
  const keys = Array.from({ length: 60_000 }, (_, at) => `key${at}: ${at}\n`).join("");
  const started = process.cpuUsage();
  expect(load(minimal + keys)).toMatchObject({ ok: true });
  expect(load(`${minimal + keys}key59999: 1\n`)).toMatchObject({
    message: expect.stringContaining('duplicate key "key59999" at line 60003, column 1'),
  });
  // The processor's time: a machine that does other things as well is not the contract's fault.
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(8000);
});

function load(content: string) {
  const path = join(folder, "contract.yaml");
  writeFileSync(path, content);
  return loadContract(path);
}
