/** Extended attributes and access control lists of a file that is replaced. On Linux alone. */
import { afterEach, describe, expect, test } from "bun:test";
import { chmodSync, closeSync, lstatSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { carryAttributes } from "../../../src/files/attributes.ts";
import { linuxFunctions } from "../../../src/process/libc.ts";
import { type Bounded, bounded, edit } from "../../support/bounded.ts";

const isLinux = process.platform === "linux";
const calls = () => {
  const functions = linuxFunctions({
    setxattr: { args: ["ptr", "ptr", "ptr", "usize", "i32"], returns: "i32" },
    getxattr: { args: ["ptr", "ptr", "ptr", "usize"], returns: "i32" },
    listxattr: { args: ["ptr", "ptr", "usize"], returns: "i32" },
  });
  if (functions === null) throw new Error("no C library");
  return functions;
};
const text = (name: string) => Buffer.from(`${name}\0`);
const isSet = (path: string, name: string, value: Uint8Array) =>
  calls().setxattr(text(path), text(name), value, value.length, 0) === 0;
const set = (path: string, name: string, value: Uint8Array) => expect(isSet(path, name, value)).toBe(true);
/** Every attribute of the file with its value; those that a security module gives every file aside. */
function attributes(path: string): Record<string, string> {
  const names = Buffer.alloc(65_536);
  const length = calls().listxattr(text(path), names, names.length);
  const found: Record<string, string> = {};
  for (const name of names.toString("latin1", 0, length).split("\0").slice(0, -1).sort()) {
    const value = Buffer.alloc(65_536);
    const size = calls().getxattr(text(path), text(name), value, value.length);
    if (name !== "security.selinux") found[name] = value.toString("latin1", 0, size);
  }
  return found;
}

const access = "system.posix_acl_access";
const nobody = 65534;
/** An access control list: what its owner, a person, the group, anyone named, and others may. */
function acl(owner: number, person: number, group: number, mask: number, others: number): Buffer {
  const entries = [
    [1, owner, 0xffffffff],
    [2, person, nobody],
    [4, group, 0xffffffff],
    [16, mask, 0xffffffff],
    [32, others, 0xffffffff],
  ] as const;
  const list = Buffer.alloc(4 + entries.length * 8);
  list.writeUInt32LE(2, 0);
  for (const [at, [tag, allowed, id]] of entries.entries()) {
    list.writeUInt16LE(tag, 4 + at * 8);
    list.writeUInt16LE(allowed, 6 + at * 8);
    list.writeUInt32LE(id, 8 + at * 8);
  }
  return list;
}

let at: Bounded | undefined;
afterEach(() => at?.dispose());
function scene(): { readonly folder: string; readonly path: string; readonly replaced: () => unknown } {
  const made = bounded({ "src/file": "one\n" });
  at = made;
  const folder = join(made.repo, "src");
  return {
    folder,
    path: join(folder, "file"),
    replaced: () => made.replace("src/file", [edit("one", "two")]),
  };
}
const keeps = isLinux && keepsAttributes();
function keepsAttributes(): boolean {
  const made = bounded({ file: "" });
  const path = join(made.repo, "file");
  const isKept = isSet(path, "user.a", Buffer.from("b")) && isSet(path, access, acl(6, 4, 4, 4, 4));
  made.dispose();
  if (!isKept) console.log("skipped: the temporary folder's file system keeps no attributes or lists");
  return isKept;
}

describe.if(keeps)("a file that is replaced keeps", () => {
  test("what people and programs noted with it, byte for byte", () => {
    const { path, replaced } = scene();
    set(path, "user.note", Buffer.from([0, 255, 10]));
    set(path, "user.empty", Buffer.alloc(0));
    set(path, "user.grün", Buffer.alloc(2000, "x"));
    const before = attributes(path);
    expect(Object.keys(before)).toHaveLength(3);
    expect(replaced()).toMatchObject({ code: "OK" });
    expect(attributes(path)).toEqual(before);
    expect(readFileSync(path, "utf8")).toBe("two\n");
  });

  test("its access control list, and the permission bits that go with it", () => {
    const { path, replaced } = scene();
    chmodSync(path, 0o640);
    set(path, access, acl(6, 6, 4, 6, 0));
    const before = attributes(path);
    expect(lstatSync(path).mode & 0o7777).toBe(0o660);
    expect(replaced()).toMatchObject({ code: "OK" });
    expect(attributes(path)).toEqual(before);
    expect(lstatSync(path).mode & 0o7777).toBe(0o660);
  });

  test("its list, not the one that its folder gives new files", () => {
    const { path, folder, replaced } = scene();
    set(path, access, acl(6, 4, 4, 4, 0));
    set(folder, "system.posix_acl_default", acl(7, 7, 7, 7, 7));
    const before = attributes(path);
    expect(replaced()).toMatchObject({ code: "OK" });
    expect(attributes(path)).toEqual(before);
    expect(lstatSync(path).mode & 0o7777).toBe(0o640);
  });

  test("no list, if it had none and its folder gives new files one", () => {
    const { path, folder, replaced } = scene();
    chmodSync(path, 0o644);
    set(folder, "system.posix_acl_default", acl(7, 7, 7, 7, 7));
    expect(replaced()).toMatchObject({ code: "OK" });
    expect(attributes(path)).toEqual({});
    expect(lstatSync(path).mode & 0o7777).toBe(0o644);
  });

  test("what it is to a security module, but no capability", () => {
    const { path, replaced } = scene();
    if (!isSet(path, "security.test", Buffer.from("x"))) {
      console.log("skipped: needs root, to set attributes of security modules");
      return;
    }
    // cap_net_raw, as setcap(8) sets it (struct vfs_cap_data).
    set(path, "security.capability", Buffer.from("0100000200200000000000000000000000000000", "hex"));
    expect(Object.keys(attributes(path))).toHaveLength(2);
    expect(replaced()).toMatchObject({ code: "OK" });
    expect(attributes(path)).toEqual({ "security.test": "x" });
  });
});

test.if(keeps)("what cannot be kept is said, and nothing is left open", () => {
  const { path } = scene();
  set(path, "user.note", Buffer.from("x"));
  const device = openSync("/dev/null", "r+");
  const open = () => readdirSync("/proc/self/fd").length;
  const before = open();
  // Attributes of people are for files and folders (xattr(7)).
  expect(carryAttributes(path, device)).toBe("its attribute user.note cannot be kept (EPERM)");
  expect(open()).toBe(before);
  closeSync(device);
});
