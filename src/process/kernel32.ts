/** The few calls of Windows that the engine needs and the runtime does not offer. Opened at the first call. */

export type Kernel32 = ReturnType<typeof open>;

let opened: Kernel32 | null | undefined;

/** The library that every Windows has; null elsewhere. */
export function kernel32(): Kernel32 | null {
  if (opened !== undefined) return opened;
  try {
    opened = open();
  } catch {
    opened = null;
  }
  return opened;
}

function open() {
  const ffi: typeof import("bun:ffi") = require("bun:ffi");
  return ffi.dlopen("kernel32.dll", {
    CreateJobObjectW: { args: ["ptr", "ptr"], returns: "u64" },
    SetInformationJobObject: { args: ["u64", "i32", "ptr", "u32"], returns: "i32" },
    QueryInformationJobObject: { args: ["u64", "i32", "ptr", "u32", "ptr"], returns: "i32" },
    AssignProcessToJobObject: { args: ["u64", "u64"], returns: "i32" },
    TerminateJobObject: { args: ["u64", "u32"], returns: "i32" },
    GetExitCodeProcess: { args: ["u64", "ptr"], returns: "i32" },
    OpenProcess: { args: ["u32", "i32", "u32"], returns: "u64" },
    CreateFileW: { args: ["ptr", "u32", "u32", "ptr", "u32", "u32", "ptr"], returns: "u64" },
    CreateNamedPipeW: { args: ["ptr", "u32", "u32", "u32", "u32", "u32", "u32", "ptr"], returns: "u64" },
    PeekNamedPipe: { args: ["u64", "ptr", "u32", "ptr", "ptr", "ptr"], returns: "i32" },
    ReadFile: { args: ["u64", "ptr", "u32", "ptr", "ptr"], returns: "i32" },
    GetLastError: { args: [], returns: "u32" },
    CloseHandle: { args: ["u64"], returns: "i32" },
  }).symbols;
}
