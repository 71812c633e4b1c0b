/** What the executable is made of, and under which licences: the text that `licenses` prints. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8").trim();

/** The packages whose code is compiled into the executable. */
export const bundled = ["yaml"];

/**
 * What Bun links into its executable, by the list in its own repository. "Several" are those that the
 * library's own licence file tells apart.
 */
const linked: Readonly<Record<string, readonly string[]>> = {
  "LGPL 2.0 or later": ["JavaScriptCore and parts of WebCore (WebKit)"],
  "LGPL 2.1": ["TinyCC"],
  "Apache 2.0": ["simdutf", "uSockets", "uWebSockets", "Highway", "parts of TigerBeetle", "libc++abi (LLVM)"],
  MIT: [
    "Bun",
    "Brotli",
    "ls-hpack",
    "ls-qpack",
    "LSQUIC",
    "mimalloc",
    "picohttpparser",
    "c-ares",
    "libdeflate",
    "libuv (Windows)",
    "uucode",
    "the browser polyfills of Node's modules",
  ],
  BSD: ["lol-html", "Zstandard", "base64", "libspng", "libwebp"],
  zlib: ["zlib-ng"],
  "public domain": ["SQLite"],
  several: ["BoringSSL", "libarchive", "libjpeg-turbo", "ICU (Unicode)", "crates of Rust"],
};

/** The whole text. */
export function licenses(): string {
  const { version, packageManager } = JSON.parse(read("package.json"));
  const packages = bundled.map((name) => {
    const manifest = JSON.parse(read(`node_modules/${name}/package.json`));
    return section(`${name} ${manifest.version}`, read(`node_modules/${name}/LICENSE`));
  });
  const rows = Object.entries(linked).map(([licence, names]) => `  ${licence}:\n    ${names.join("\n    ")}`);
  const bun = `The executable is Bun's, patched where docs/security.md says, with this program inside.
Bun links these libraries:

${rows.join("\n")}

The licence files of these follow, each under the name of its library:

  ${libraries().join("\n  ")}

They are of versions near to those that Bun links; BoringSSL's is of 2023.
Sources and licence files of all: https://bun.com/docs/project/licensing

Who changes a library under the LGPL builds Bun with it, from Bun's sources, and
this program with that Bun: its SHA-256 goes into scripts/build/targets.ts.`;
  return [
    section(`satyrn-engine ${version}`, "Apache License 2.0, whose text is at the end."),
    ...packages,
    section(packageManager.replace("@", " "), bun),
    ...libraries().map((name) => section(name, read(`licenses/${name}.txt`))),
    section("GNU Library General Public License, version 2", read("licenses/LGPL-2.0.txt")),
    section("GNU Lesser General Public License, version 2.1", read("licenses/LGPL-2.1.txt")),
    section("Apache License, version 2.0", read("LICENSE")),
  ].join("\n");
}

/** The libraries whose own licence file is kept here. */
function libraries(): readonly string[] {
  const names = readdirSync(join(root, "licenses")).map((file) => file.replace(/\.txt$/, ""));
  return names.filter((name) => !name.startsWith("LGPL-")).sort();
}

function section(title: string, text: string): string {
  return `${"=".repeat(78)}\n${title}\n${"=".repeat(78)}\n\n${text}\n`;
}
