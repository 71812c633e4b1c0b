/** What the system said, as a fact for a person: `no space left on device (ENOSPC)`. */
export function systemReason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  // The text is `CODE: words, call 'path'`; the path may be one through a descriptor, which tells nobody anything.
  const words = /^[A-Z0-9]+: ([^,]+)/.exec(message)?.[1];
  return words === undefined ? code : `${words} (${code})`;
}
