/** Waits `milliseconds`, or until `signal` is aborted. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener("abort", end);
  });
}

/** Calls `action` after `milliseconds`, which may be more than one timer can hold. Gives what cancels it. */
export function after(milliseconds: number, action: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const arm = (left: number) => {
    const step = Math.min(left, longestTimer);
    timer = setTimeout(() => (left > step ? arm(left - step) : action()), step);
  };
  arm(milliseconds);
  return () => clearTimeout(timer);
}

// A longer timer fires at once.
const longestTimer = 2 ** 31 - 1;
