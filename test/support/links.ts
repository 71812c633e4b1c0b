import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What a page links to that is not beside it. */
export function brokenLinks(page: string): readonly string[] {
  const targets = [...readFileSync(page, "utf8").matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(
    ([, to = ""]) => to,
  );
  return targets.filter((target) => !existsSync(join(dirname(page), target)));
}
