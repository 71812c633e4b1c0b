/** `bun:ffi` for `src` in the test build: the calls of the C library that can fail pass their boundaries. */
import * as real from "bun:ffi";
import { type Call, errnoOf, type Failure, pass } from "./boundary.ts";
import { nameOfDescriptor } from "./fs.ts";

export const ptr = real.ptr;
export const read = real.read;
export const FFIType = real.FFIType;
export const CString = real.CString;
export const JSCallback = real.JSCallback;
export const toArrayBuffer = real.toArrayBuffer;

type Symbols = Record<string, ((...args: readonly unknown[]) => unknown) | undefined>;

export function dlopen(name: string, symbols: Parameters<typeof real.dlopen>[1]): unknown {
  const library = real.dlopen(name, symbols);
  const calls: Symbols = { ...(library.symbols as unknown as Symbols) };
  const { flock, pipe2, __errno_location: errno } = calls;
  const guarded = (call: Call, path: string, act: () => unknown): unknown => {
    try {
      return pass(call, path, act);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const location = errno?.() as real.Pointer;
      new Int32Array(real.toArrayBuffer(location, 0, 4))[0] = errnoOf(code as Failure);
      return -1;
    }
  };
  if (flock !== undefined) {
    calls["flock"] = (descriptor, operation) =>
      guarded("lock", nameOfDescriptor(Number(descriptor)), () => flock(descriptor, operation));
  }
  if (pipe2 !== undefined) calls["pipe2"] = (ends, flags) => guarded("pipe", "", () => pipe2(ends, flags));
  return { ...library, symbols: calls };
}
