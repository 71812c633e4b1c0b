/** What a matrix runs: an operation of the executable in a world of its own, and what must hold of it afterwards. */
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { Fault, Plan } from "./seam/boundary.ts";

export interface Operation {
  readonly name: string;
  /** A world as it is before the operation. */
  world(): Promise<World>;
}

export interface World {
  /** Holds all of it. */
  readonly folder: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** What somebody else does while the operation is stopped; gives what is wrong with how that ended. */
  interfere(release: () => void): Promise<readonly string[]>;
  /** What is not as it must be after the run; empty if all is well. `found` says in a few words how it is. */
  judge(run: Run): Promise<Judgement>;
  dispose(): void;
}

export interface Judgement {
  readonly problems: readonly string[];
  readonly found: string;
}

export interface Run {
  /** Undefined for a run in which nothing strikes. */
  readonly at?: Pick<Required<Plan>, "at" | "fault">;
  readonly status: number | null;
  readonly killed: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** Whether the fault struck where a file is taken away, so that this one may stay: `recover` or the next run has it. */
export function struckRemoval({ at }: Run): boolean {
  return at?.at.startsWith("unlink ") === true;
}

export function isStrikingStdout({ at }: Run): boolean {
  return at?.at === "write stdout" || at?.at === "stat stdout";
}

export function isPause(fault: Fault | undefined): boolean {
  return fault === "pause";
}

/** Everything below `root` but what `leaveOut` says, with its content, mode, inode and time; folders by their mode. */
export function everythingIn(root: string, leaveOut: RegExp): ReadonlyMap<string, string> {
  const seen = new Map<string, string>();
  const visit = (place: string): void => {
    for (const name of readdirSync(join(root, place))) {
      const path = place === "" ? name : `${place}/${name}`;
      if (leaveOut.test(path)) continue;
      const stat = lstatSync(join(root, path), { bigint: true });
      if (stat.isDirectory()) {
        seen.set(path, `folder ${stat.mode.toString(8)}`);
        visit(path);
        continue;
      }
      const content = stat.isSymbolicLink()
        ? readlinkSync(join(root, path))
        : readFileSync(join(root, path), "latin1");
      seen.set(path, `${stat.mode.toString(8)} ${stat.ino} ${stat.mtimeNs} ${content}`);
    }
  };
  visit("");
  return seen;
}

/** In words, how the one differs from the other. */
export function differences(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].flatMap((name) => {
    const [had, has] = [before.get(name), after.get(name)];
    if (had === has) return [];
    return [
      has === undefined ? `${name} is gone` : had === undefined ? `${name} is new` : `${name} was changed`,
    ];
  });
}

/** The value, or a problem that says which text is no JSON. */
export function parsed(text: string, what: string, problems: string[]): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    problems.push(`${what} is not JSON: ${JSON.stringify(text.slice(0, 200))}`);
    return undefined;
  }
}

export function sha256(bytes: Uint8Array | string): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}
