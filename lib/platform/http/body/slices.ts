/** How long one computation may hold the event loop before other requests are served. */
const SLICE_MS = 4;

const waiting: (() => void)[] = [];

function startNext(): void {
  waiting.shift()?.();
  // An immediate set here runs after the next look at the sockets.
  if (waiting.length > 0) setImmediate(startNext);
}

/** Resolves when a long computation may start or go on: one of all those waiting, per turn of the event loop. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(startNext);
  });
}

/**
 * Cuts a long computation into slices, so that it never blocks the event loop for long, however many of them run
 * at once.
 *
 * @returns a function to be called between steps of a few milliseconds at most; what it returns is to be awaited
 */
export function createSlices(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < SLICE_MS) return undefined;
    return yieldToEventLoop().then(() => {
      since = performance.now();
    });
  };
}
