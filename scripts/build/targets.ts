/** The systems an executable is made for, and Bun's own executable that each is made from. */

interface Target {
  /** The registry package that holds Bun's executable for the system, in Bun's pinned version. */
  readonly template: string;
  /** Of that executable: no lockfile covers it, so what was fetched is held against this. */
  readonly sha256: string;
}

export const targets = {
  "linux-x64": {
    template: "@oven/bun-linux-x64",
    sha256: "f05d28a3862f4b84395c7fa32480b835dd47482e80b7e7a49a115227f0c06083",
  },
  "linux-arm64": {
    template: "@oven/bun-linux-aarch64",
    sha256: "04778f1f42399a69d086853e9c7af4acf574b2f21a43d0dc673853d8b84a2923",
  },
  "linux-x64-musl": {
    template: "@oven/bun-linux-x64-musl",
    sha256: "cf5d285ddbe256785a5121a3c113191a6b577504976374c7cfd5aedca609b720",
  },
  "linux-arm64-musl": {
    template: "@oven/bun-linux-aarch64-musl",
    sha256: "9c48986093073afec8b76a3e285303598dd2462f52748aecb65e4d94866e1ea3",
  },
  "darwin-x64": {
    template: "@oven/bun-darwin-x64",
    sha256: "88f97645b270aef20f9f9442f1658461cab3e7128e658af4615144e3396f084a",
  },
  "darwin-arm64": {
    template: "@oven/bun-darwin-aarch64",
    sha256: "e2984124f1514e1e6bbda20adedbf07a02c443c6a5828853a15c7c7abf78e19f",
  },
  "windows-x64": {
    template: "@oven/bun-windows-x64",
    sha256: "e06ad0864463c68892ae71a2a64af7eae1585cac5dd9b80bc042f45605587cb1",
  },
  "windows-arm64": {
    template: "@oven/bun-windows-aarch64",
    sha256: "8bd7f9210f9d58cc21f398d1478e53b2ff919a0c8fc935b5086f3f64667cec6d",
  },
} as const satisfies Readonly<Record<string, Target>>;

export type TargetName = keyof typeof targets;

export const targetNames = Object.keys(targets) as readonly TargetName[];

export function isTarget(name: string): name is TargetName {
  return Object.hasOwn(targets, name);
}

/** `satyrn-engine-linux-x64`, `satyrn-engine-windows-x64.exe` */
export function executableName(target: TargetName): string {
  return `satyrn-engine-${target}${suffix(target)}`;
}

/** What the system's executables end in. */
export function suffix(target: TargetName): string {
  return target.startsWith("windows-") ? ".exe" : "";
}

/** The target that this machine is. */
export function hostTarget(): TargetName {
  const system = { linux: "linux", darwin: "darwin", win32: "windows" }[process.platform as string];
  const report = process.report?.getReport() as { header?: { glibcVersionRuntime?: string } } | undefined;
  const musl = system === "linux" && report?.header?.glibcVersionRuntime === undefined;
  const name = `${system}-${process.arch}${musl ? "-musl" : ""}`;
  if (!isTarget(name)) throw new Error(`no executable is made for ${process.platform} on ${process.arch}`);
  return name;
}
