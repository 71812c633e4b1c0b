import { readFileSync } from "node:fs";

/**
 * Whether the words of the command line are what was given. The runtime replaces bytes that are not UTF-8
 * by U+FFFD, which a word can also hold by itself: Linux tells the two apart, elsewhere none is trusted.
 */
export function areExact(): boolean {
  if (process.platform !== "linux") return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(readFileSync("/proc/self/cmdline"));
    return true;
  } catch {
    return false;
  }
}
