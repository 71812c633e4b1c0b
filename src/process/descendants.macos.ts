/** The processes of macOS. */
import type { Process, Table } from "./processes.ts";

/** The table of processes, read through libproc, which is part of the system's library. */
export function macosTable(): Table {
  const ffi: typeof import("bun:ffi") = require("bun:ffi");
  const calls = openLibrary(ffi);

  function list(kind: number, of: number): readonly number[] {
    for (let room = 256; ; room *= 2) {
      const pids = new Int32Array(room);
      const count = Math.floor(calls.proc_listpids(kind, of, pids, pids.byteLength) / pids.BYTES_PER_ELEMENT);
      // A full buffer may have left some out.
      if (count < room) return [...pids.subarray(0, Math.max(0, count))].filter((pid) => pid > 0);
    }
  }

  function read(pid: number): Process | null {
    const buffer = new Uint8Array(basicSize);
    if (calls.proc_pidinfo(pid, basicInformation, 0, buffer, basicSize) !== basicSize) return null;
    return parseBasicInformation(buffer);
  }

  return {
    read,
    members: (group) => list(listGroup, group),
    children: (parent) => list(listChildren, parent),
  };
}

// libproc.h and sys/proc_info.h of the macOS SDK.
const listGroup = 2; // PROC_PGRP_ONLY
const listChildren = 6; // PROC_PPID_ONLY
const basicInformation = 3; // PROC_PIDTBSDINFO
const basicSize = 136; // sizeof(struct proc_bsdinfo)
const zombie = 5; // SZOMB

function openLibrary(ffi: typeof import("bun:ffi")) {
  return ffi.dlopen("/usr/lib/libSystem.B.dylib", {
    proc_listpids: { args: ["u32", "u32", "ptr", "i32"], returns: "i32" },
    proc_pidinfo: { args: ["i32", "i32", "u64", "ptr", "i32"], returns: "i32" },
  }).symbols;
}

/** Reads a struct proc_bsdinfo; null for a zombie. */
export function parseBasicInformation(bytes: Uint8Array): Process | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, basicSize);
  if (view.getUint32(4, true) === zombie) return null;
  const name = new TextDecoder().decode(bytes.subarray(48, 64));
  return {
    pid: view.getUint32(12, true),
    group: view.getUint32(100, true),
    started: `${view.getBigUint64(120, true)}.${view.getBigUint64(128, true)}`,
    name: name.slice(0, name.indexOf("\0")),
  };
}
