import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import {
  type Findings,
  keepReceipt,
  receiptOf,
  receiptStatus,
  renderReceipt,
} from "../../../src/delivery/receipt.ts";
import { type DeliveryCode, deliveryCodes } from "../../../src/outcome.ts";

const facts = { repository: "/repo", engine_version: "0.1.0", duration_ms: 12 };
const codes = Object.keys(deliveryCodes) as DeliveryCode[];

test("all fields are there, in their order, whatever is known", () => {
  const order = [
    "version outcome code message contract_id repository base_commit candidate_ref candidate_commit",
    "changed_paths command_exit worktree_path source_drift verification engine_version duration_ms",
  ];
  const whole: Findings = {
    verification: { passed: true, commands: [], guards: [], reasons: [] },
    source_drift: [],
    command_exit: 0,
    contract_id: "x",
    changed_paths: [],
  };
  for (const findings of [{}, whole]) {
    expect(Object.keys(JSON.parse(renderReceipt(receiptOf("OK", "m", findings, facts)))).join(" ")).toBe(
      order.join(" "),
    );
  }
});

test("outcome and status follow from the code", () => {
  for (const code of codes) {
    const receipt = receiptOf(code, "", {}, facts);
    expect([receipt.outcome, receiptStatus(receipt)]).toEqual([...deliveryCodes[code]]);
  }
});

test("zero and the empty list are known values, not null", () => {
  expect(receiptOf("OK", "", { command_exit: 0, changed_paths: [] }, facts)).toMatchObject({
    command_exit: 0,
    changed_paths: [],
    source_drift: null,
  });
});

test("a receipt is read back as it was, from one line of ASCII", () => {
  const text = fc.string({ unit: "binary" });
  const findings = fc.record({
    contract_id: text,
    changed_paths: fc.array(text),
    command_exit: fc.oneof(fc.integer({ min: -64, max: 255 }), fc.constant(null)),
    source_drift: fc.oneof(fc.array(text), fc.constant(null)),
  });
  fc.assert(
    fc.property(fc.constantFrom(...codes), text, findings, (code, message, found) => {
      const receipt = receiptOf(code, message, found, facts);
      const line = renderReceipt(receipt);
      expect(line).toMatch(/^[\x20-\x7e]+\n$/);
      expect(JSON.parse(line)).toEqual(receipt);
    }),
  );
});

describe("a kept receipt", () => {
  let common: string;
  beforeEach(() => {
    common = mkdtempSync(join(tmpdir(), "satyrn-receipt-"));
  });
  afterEach(() => rmSync(common, { recursive: true }));
  const now = new Date("2026-02-03T04:05:06.789Z");
  const keep = (id: string) =>
    keepReceipt(receiptOf("OK", "m", { contract_id: id }, facts), { commonDirectory: common }, now);

  test("holds what was printed, under a name that no other has", () => {
    expect([keep("x"), keep("x")]).toEqual([undefined, undefined]);
    const names = readdirSync(join(common, "satyrn/receipts/x"));
    expect(names).toHaveLength(2);
    for (const name of names) {
      expect(name).toMatch(/^20260203T040506Z-[0-9a-f]{12}\.json$/);
      expect(readFileSync(join(common, "satyrn/receipts/x", name), "utf8")).toBe(
        renderReceipt(receiptOf("OK", "m", { contract_id: "x" }, facts)),
      );
    }
  });

  test.each(["", ".", "..", "a/b", "a\\b", "a:b", "a\nb", "a\0b", "x".repeat(201)])(
    "of the id %j would be no one name in a folder, and is none",
    (id) => {
      expect(keep(id)).toBeUndefined();
      expect(existsSync(join(common, "satyrn"))).toBe(false);
    },
  );
  test("of no id is none", () => {
    expect(
      keepReceipt(receiptOf("CONTRACT_UNREADABLE", "m", {}, facts), { commonDirectory: common }, now),
    ).toBeUndefined();
    expect(existsSync(join(common, "satyrn"))).toBe(false);
  });
  test.each(["-rf", "ünï", "x".repeat(200)])("of the id %j is kept", (id) => {
    expect(keep(id)).toBeUndefined();
    expect(readdirSync(join(common, "satyrn/receipts", id))).toHaveLength(1);
  });

  test.each(["satyrn", "satyrn/receipts", "satyrn/receipts/x"])("follows no link at %s", (at) => {
    const outside = join(common, "outside");
    mkdirSync(outside);
    mkdirSync(join(common, at, ".."), { recursive: true });
    symlinkSync(outside, join(common, at));
    expect(keep("x")).toContain("is not a folder");
    expect(readdirSync(outside)).toEqual([]);
  });

  test("says why it could not be kept", () => {
    writeFileSync(join(common, "satyrn"), "");
    expect(keep("x")).toContain("is not a folder");
  });
});
