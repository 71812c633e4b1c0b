/** The workflows, read as the runner reads them. */
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { billOfMaterials } from "../../scripts/build/bill.ts";
import { executableName, targetNames } from "../../scripts/build/targets.ts";

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, string | number | boolean>>;
  readonly env?: Readonly<Record<string, string>>;
}

interface Job {
  readonly needs?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
  readonly "timeout-minutes": number;
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const root = join(import.meta.dir, "../..");
const folder = join(root, ".github/workflows");
const workflows = new Map(
  readdirSync(folder).map((name) => [name, parse(readFileSync(join(folder, name), "utf8")) as Workflow]),
);
const jobs = [...workflows].flatMap(([file, { jobs }]) =>
  Object.entries(jobs).map(([name, job]) => [`${file}: ${name}`, job] as const),
);
const release = workflows.get("release.yml")?.jobs ?? {};

test("each job is known here", () => {
  expect(jobs.map(([name]) => name).sort()).toEqual([
    "ci.yml: black-box",
    "ci.yml: proof",
    "ci.yml: test",
    "release.yml: build",
    "release.yml: draft",
    "release.yml: npm",
  ]);
});

describe.each(jobs)("%s", (name, job) => {
  test("uses actions by commit, with the version beside it", () => {
    const text = readFileSync(join(folder, name.split(":")[0] ?? ""), "utf8");
    for (const { uses } of job.steps) {
      if (uses === undefined) continue;
      expect(uses).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
      expect(text).toMatch(new RegExp(`${uses} # v\\d+\\.\\d+\\.\\d+$`, "m"));
    }
  });

  test("puts nothing from outside into a script", () => {
    for (const { run } of job.steps) expect(run ?? "").not.toContain("${{");
  });

  test("ends, and leaves no token in the clone", () => {
    expect(job["timeout-minutes"]).toBeLessThanOrEqual(90);
    for (const step of job.steps)
      if (step.uses?.startsWith("actions/checkout@")) expect(step.with?.["persist-credentials"]).toBe(false);
  });

  test("runs what is in the tree", () => {
    const scripts: object = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts;
    for (const { run = "" } of job.steps) {
      for (const [path] of run.matchAll(/(?:\.ci|scripts)\/[\w./-]+/g))
        expect(existsSync(join(root, path))).toBe(true);
      for (const [, script = ""] of run.matchAll(/packageManager'\)" run (\w+)/g))
        expect(Object.keys(scripts)).toContain(script);
    }
  });
});

describe("rights", () => {
  test("are to read, unless a job says otherwise", () => {
    for (const { permissions } of workflows.values()) expect(permissions).toEqual({ contents: "read" });
  });

  test("are given to the jobs that need them, which run nothing of the project's", () => {
    const given = jobs.flatMap(([name, { permissions }]) => (permissions ? [[name, permissions]] : []));
    expect(Object.fromEntries(given)).toEqual({
      "release.yml: draft": { contents: "write", "id-token": "write", attestations: "write" },
      "release.yml: npm": { "id-token": "write" },
    });
    for (const [, { permissions, steps }] of jobs) {
      if (permissions === undefined) continue;
      for (const { uses = "", run = "" } of steps) {
        expect(uses).not.toContain("checkout");
        expect(run).not.toMatch(/bun|\.ci|scripts|node /);
      }
    }
  });
});

describe("a release", () => {
  const at = (job: string, pattern: RegExp) =>
    (release[job]?.steps ?? []).findIndex(({ run = "" }) => pattern.test(run));

  test("is built, then tested in every tier, then compared with what was tested, before anything is published", () => {
    const steps = [
      /run build --all --npm$/,
      /^\.ci\/run$/,
      /sha256sum --strict -c SHA256SUMS/,
      // The sums are of every file, this one too.
      /bill\.ts dist\/satyrn-engine\.cdx\.json\ncd dist\nsha256sum satyrn-engine\.cdx\.json >> SHA256SUMS\n$/,
    ];
    const order = steps.map((pattern) => at("build", pattern));
    expect(order).not.toContain(-1);
    expect([...order].sort((one, other) => one - other)).toEqual(order);
    expect([release["draft"]?.needs, release["npm"]?.needs]).toEqual(["build", "draft"]);
    const ci = readFileSync(join(root, ".ci/run"), "utf8");
    expect(ci).toMatch(/run test$/m);
    expect(statSync(join(root, ".ci/run")).mode & 0o111).not.toBe(0);
  });

  test("holds every file of the build, its sums and its bill of materials", () => {
    const [artifact] = (release["build"]?.steps ?? []).filter(
      ({ with: given }) => given?.["name"] === "release",
    );
    const patterns = String(artifact?.with?.["path"])
      .trim()
      .split("\n")
      .map((each) => each.replace(/^dist\//, ""));
    const files = [
      ...targetNames.map(executableName),
      ...targetNames.map(
        (name) => `satyrn-engine-1.2.3-${name}${name.startsWith("windows-") ? ".zip" : ".tar.gz"}`,
      ),
      "satyrn-engine.cdx.json",
      "SHA256SUMS",
    ];
    const taken = (file: string) => patterns.some((pattern) => new Bun.Glob(pattern).match(file));
    expect(files.filter((file) => !taken(file))).toEqual([]);
    expect(taken("npm")).toBe(false);
    expect(release["draft"]?.steps.at(-1)?.run).toEndWith(" dist/*");
  });

  test("publishes the executables' packages before the one that people install", () => {
    const [, first = "", second = ""] =
      /for package in (\S+) (\S+);/.exec(release["npm"]?.steps[1]?.run ?? "") ?? [];
    const packed = [
      ...targetNames.map((name) => `satyrn-engine-${name}-1.2.3.tgz`),
      "satyrn-engine-1.2.3.tgz",
    ];
    expect(packed.filter((file) => new Bun.Glob(first).match(file))).toEqual(packed.slice(0, -1));
    expect(packed.filter((file) => new Bun.Glob(second).match(file))).toEqual(packed.slice(-1));
  });

  test("is made of the packages that are compiled in, and of Bun for each system", () => {
    expect(billOfMaterials()).toMatchObject({
      dependencies: { yaml: expect.stringMatching(/^\d+\.\d+\.\d+$/) },
      optionalDependencies: { "@oven/bun-linux-x64": "1.4.5", "@oven/bun-windows-aarch64": "1.4.5" },
    });
  });
});
