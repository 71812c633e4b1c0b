import type { Descendants } from "./descendants.ts";

export function macosDescendants(): Descendants | null {
  return null;
}
