/** A lock on Windows: a file that is open and shared with nobody. */
import { win32 } from "node:path";
import { kernel32 } from "../process/kernel32.ts";

export interface HeldFile {
  release(): void;
}

/**
 * Opens the file at `path`, made if it is absent, for this process alone, without waiting: "busy" while another
 * holds it so, "unavailable" where it cannot be opened for another reason. It ends with `release` or with the
 * process, however that ends; the file stays.
 *
 * https://learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-createfilew, dwShareMode 0
 */
export function tryHoldFile(path: string): HeldFile | "busy" | "unavailable" {
  const calls = kernel32();
  if (calls === null) return "unavailable";
  const name = Buffer.from(`${win32.toNamespacedPath(path)}\0`, "utf16le");
  // A file that its last holder has just removed is denied until that one has closed it.
  for (let denials = 0; denials < 20; denials++) {
    const handle = calls.CreateFileW(name, readAndWrite, 0, null, openAlways, normalFile, null);
    if (handle !== invalidHandle) return { release: () => void calls.CloseHandle(handle) };
    const reason = calls.GetLastError();
    if (reason !== accessDenied) return reason === sharingViolation ? "busy" : "unavailable";
    Bun.sleepSync(1);
  }
  return "unavailable";
}

// winnt.h, fileapi.h, winerror.h
const readAndWrite = 0xc0000000;
const openAlways = 4;
const normalFile = 0x80;
const invalidHandle = 0xffff_ffff_ffff_ffffn;
const accessDenied = 5;
const sharingViolation = 32;
