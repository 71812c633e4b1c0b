/** Where an attempt leaves its evidence. */
import { closeSync, fstatSync, fsyncSync, linkSync, lstatSync, realpathSync, unlinkSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { type Folder, openFolder } from "../files/folder.ts";
import { type Folders, folderAround, isSame, lostInText } from "../files/identity.ts";
import { openNew, writeAll } from "../files/new-file.ts";
import { openUnfinished, sweepAbandoned, unfinishedName } from "../files/unfinished.ts";
import { oneLine, type Result, refusal, success } from "../outcome.ts";
import { systemReason } from "../system-error.ts";

/** A file that does not exist yet, in a folder that is held open. */
export interface Destination {
  readonly variable: string;
  readonly path: string;
  readonly folder: Folder;
  /** Canonical path of the folder. */
  readonly parent: string;
  readonly name: string;
}

/**
 * Pins the folder in which the file that `variable` names will appear. Refuses with `NO_DESTINATION`, in one
 * line, if something stands there, if its parent is no real folder, or if that lies in one of `outside`. Later
 * steps are relative to the pin, so that no swap of names leads them elsewhere.
 */
export function pinDestination(
  variable: string,
  path: string,
  outside: Folders,
): Result<Destination, "NO_DESTINATION"> {
  const problem = (text: string) => refusal("NO_DESTINATION", oneLine(`${variable} '${path}': ${text}`));
  const absolute = resolve(path);
  const parent = dirname(absolute);
  try {
    const stat = lstatSync(parent, { bigint: true });
    if (!stat.isDirectory()) return problem("its parent is not a real folder");
    const real = realpathSync(parent);
    const lost = lostInText(parent, real);
    if (lost !== undefined) return problem(lost);
    const around = folderAround(parent, outside);
    if (around !== null) return problem(`it must lie outside '${around}'`);
    const folder = openFolder(parent, []);
    if (!folder.ok) return problem(folder.message);
    const name = basename(absolute);
    const held = folder.value.descriptor;
    const isStill = held === null || isSame(fstatSync(held, { bigint: true }), stat);
    if (isStill && lstatSync(folder.value.at(name), { throwIfNoEntry: false }) === undefined) {
      return success({ variable, path, folder: folder.value, parent: real, name });
    }
    folder.value.close();
    return problem(isStill ? "it exists already" : "its parent was replaced");
  } catch (error) {
    return problem(systemReason(error));
  }
}

/** Whether two destinations are one, as far as names tell before there is a file. */
export function isSamePlace(one: Destination, other: Destination): boolean {
  return one.name.toLowerCase() === other.name.toLowerCase() && one.parent === other.parent;
}

/** Evidence that grows while it is written. */
export interface Growing {
  /** Appends, unless an earlier append failed. */
  append(chunk: Uint8Array): void;
  /** Why it is not whole, in one line; null if it is. Nothing can be appended afterwards. */
  close(): string | null;
}

/** Creates the file, exclusively and without following a link. `NO_DESTINATION` says why that failed. */
export function growingFile({
  variable,
  path,
  folder,
  name,
}: Destination): Result<Growing, "NO_DESTINATION"> {
  const explain = (error: unknown) => oneLine(`${variable} '${path}': ${systemReason(error)}`);
  let descriptor: number;
  try {
    descriptor = openNew(folder.at(name), 0o600);
  } catch (error) {
    return refusal("NO_DESTINATION", explain(error));
  }
  let failure: string | null = null;
  const attempt = (act: () => void): void => {
    if (failure !== null) return;
    try {
      act();
    } catch (error) {
      failure = explain(error);
    }
  };
  return success({
    append: (chunk) => attempt(() => writeAll(descriptor, chunk)),
    close: () => {
      attempt(() => fsyncSync(descriptor));
      try {
        closeSync(descriptor);
      } catch (error) {
        failure ??= explain(error);
      }
      return failure;
    },
  });
}

/**
 * Writes the file so that it appears whole or not at all: `fill` writes to the descriptor of an exclusive
 * sibling, which is flushed and then linked into place. Without bytes there is no file. Gives why it failed, in
 * one line, or null; `fill` gives its own reason. `announce` hears the path of the sibling, which is all that is
 * left of it if the process is killed.
 */
export async function publishWhole(
  destination: Destination,
  announce: (sibling: string) => void,
  fill: (descriptor: number) => Promise<string | null>,
): Promise<string | null> {
  const { variable, path, folder, parent, name } = destination;
  const temporary = unfinishedName(name);
  const sibling = folder.at(temporary);
  const explain = (reason: string) => oneLine(`${variable} '${path}': ${reason}`);
  let descriptor: number;
  try {
    sweepAbandoned(dirname(sibling));
    announce(join(parent, temporary));
    descriptor = openUnfinished(sibling, 0o600);
  } catch (error) {
    return explain(systemReason(error));
  }
  const failure = await fillAndLink(destination, sibling, descriptor, fill);
  const reasons = [failure, whyNotRemoved(sibling, temporary)].filter((reason) => reason !== null);
  return reasons.length === 0 ? null : explain(reasons.join("; "));
}

async function fillAndLink(
  { folder, name }: Destination,
  sibling: string,
  descriptor: number,
  fill: (descriptor: number) => Promise<string | null>,
): Promise<string | null> {
  try {
    try {
      const reason = await fill(descriptor);
      if (reason !== null) return reason;
      if (fstatSync(descriptor).size === 0) return null;
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    if (!folder.stillThere()) return "its parent was replaced";
    linkSync(sibling, folder.at(name));
    if (folder.descriptor !== null) fsyncSync(folder.descriptor);
    return null;
  } catch (error) {
    return systemReason(error);
  }
}

function whyNotRemoved(path: string, name: string): string | null {
  try {
    unlinkSync(path);
    return null;
  } catch (error) {
    return `${name} beside it could not be removed: ${systemReason(error)}`;
  }
}
