import { join } from "node:path";

/** The README for where only the licence lies beside it: a page of the repository's is named there, and no link. */
export async function packedReadme(root: string): Promise<string> {
  const text = await Bun.file(join(root, "README.md")).text();
  return text.replaceAll(/\[([^\]]+)\]\((?!https?:|LICENSE\))[^)]*\)/g, "$1");
}
