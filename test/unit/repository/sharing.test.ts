import { expect, test } from "bun:test";
import { readSharing, sharedMode } from "../../../src/repository/sharing.ts";

const group = { bits: 0o660, inPlace: false };
const everybody = { bits: 0o664, inPlace: false };

test.each([
  ...["umask", "UMASK", "false", "no", "off", "0", ""].map((word) => [word, null] as const),
  ...["group", "true", "yes", "on", "1", "0001", "8"].map((word) => [word, group] as const),
  ...["all", "world", "Everybody", "2"].map((word) => [word, everybody] as const),
  ["0660", { bits: 0o660, inPlace: true }],
  ["0777", { bits: 0o666, inPlace: true }],
  ["640", { bits: 0o640, inPlace: true }],
] as const)("core.sharedRepository=%s is read as Git reads it", (value, sharing) => {
  expect(readSharing(value)).toEqual(sharing);
});

test.each([
  ["a file of a group", 0o644, false, "group", 0o664],
  ["one that nobody writes", 0o400, false, "group", 0o440],
  ["one that is run", 0o700, false, "group", 0o770],
  ["a folder of a group", 0o755, true, "group", 0o2775],
  ["a folder of everybody", 0o700, true, "all", 0o2775],
  ["a file under an exact mode", 0o666, false, "0640", 0o640],
  ["one that nobody writes, under it", 0o444, false, "0640", 0o440],
  ["a folder under it", 0o777, true, "0640", 0o2750],
  ["a folder that its owner alone may read", 0o777, true, "0600", 0o700],
] as const)("%s", (_, before, isFolder, value, mode) => {
  expect(sharedMode(before, isFolder, readSharing(value) ?? group)).toBe(mode);
});
