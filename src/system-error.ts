/** Whether the system refused a call; any other error is a bug of ours. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "code" in error && "errno" in error;
}

/** What the system said, as a fact for a person: `no space left on device (ENOSPC)`. Throws what is no error of the system. */
export function systemReason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  // The text is `CODE: words, call 'path'`; the path may be one through a descriptor, which tells nobody anything.
  const words = /^[A-Z0-9]+: ([^,]+)/.exec(message)?.[1];
  return words === undefined ? code : `${words} (${code})`;
}

/** The same with what was asked of the system, where the reader cannot know: `utimes /x: permission denied (EACCES)`. */
export function systemFailure(error: unknown): string {
  const reason = systemReason(error);
  const { syscall = "a call of the system", path } = error as NodeJS.ErrnoException;
  return path === undefined ? `${syscall}: ${reason}` : `${syscall} ${path}: ${reason}`;
}
