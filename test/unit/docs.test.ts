import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { deliveryCodes, exitStatus } from "../../src/outcome.ts";

const root = join(import.meta.dir, "../..");
const pages = [
  "README.md",
  "CHANGELOG.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];
const textOf = (page: string) => readFileSync(join(root, page), "utf8");

/** What a page links to, as written; code does not count. */
function linksOf(page: string): string[] {
  const prose = textOf(page)
    .replace(/^```.*?^```/gms, "")
    .replace(/`[^`\n]*`(?!\])/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? "");
}

describe("links", () => {
  test.each(pages)("of %s lead somewhere", (page) => {
    const broken = linksOf(page).filter((link) => {
      if (/^https?:/.test(link)) return false;
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? join(root, page) : resolve(root, dirname(page), path);
      if (!existsSync(target)) return true;
      return anchor !== undefined && !anchorsOf(relative(root, target)).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  test("reach every page of docs/", () => {
    const reached = ["README.md", "docs/README.md"].flatMap((page) =>
      linksOf(page).map((link) => relative(root, resolve(root, dirname(page), link))),
    );
    const unreached = pages.filter((page) => page.startsWith("docs/") && !reached.includes(page));
    expect(unreached).toEqual([]);
  });
});

/** The anchors GitHub gives the headings of a page. */
function anchorsOf(page: string): string[] {
  return [...textOf(page).matchAll(/^#+ (.*)$/gm)].map((match) =>
    (match[1] ?? "")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/ /g, "-"),
  );
}

test("every Bun version in prose is the one the project is pinned to", () => {
  const { packageManager } = JSON.parse(textOf("package.json")) as { packageManager: string };
  const named = pages.flatMap((page) => textOf(page).match(/bun@\d[\w.]*/g) ?? []);
  expect(named.length).toBeGreaterThan(0);
  expect(new Set(named)).toEqual(new Set([packageManager]));
});

test("the README's exit statuses are the engine's", () => {
  const rows = [...textOf("README.md").matchAll(/^\| (\d+) \| `(\w+)` \|/gm)];
  expect<unknown>(Object.fromEntries(rows.map(([, status, name]) => [name, Number(status)]))).toEqual(
    exitStatus,
  );
});

test("docs/deliver.md has every code of a receipt, with its outcome and exit status", () => {
  const rows = [...textOf("docs/deliver.md").matchAll(/^\| (`[A-Z_`, ]+`) \| ([a-z-]+) \| ([\d, ]+) \|/gm)];
  const documented = rows.flatMap(([, codes = "", outcome, statuses = ""]) =>
    codes
      .split(", ")
      .map((code, at) => [code.replaceAll("`", ""), [outcome, Number(statuses.split(", ")[at])]]),
  );
  expect<unknown>(Object.fromEntries(documented)).toEqual(deliveryCodes);
});

test("docs/deliver.md has every field of a receipt, in the order they are written", async () => {
  const { receiptOf } = await import("../../src/delivery/receipt.ts");
  const receipt = receiptOf("OK", "", {}, { repository: "", engine_version: "", duration_ms: 0 });
  const section = textOf("docs/deliver.md").split("## The receipt")[1]?.split("| `code` | outcome")[0] ?? "";
  const fields = [...section.matchAll(/^\| `(\w+)` \|/gm)].map((match) => match[1]);
  expect<unknown>(fields).toEqual(Object.keys(receipt));
});
