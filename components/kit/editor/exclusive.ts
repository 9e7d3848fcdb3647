/**
 * Runs one thing at a time: what is started meanwhile is not run, and gives null.
 *
 * @param onBusy told when something begins, and when it has ended
 */
export function createExclusive(onBusy: (busy: boolean) => void) {
  let busy = false;
  return async function exclusively<T>(run: () => Promise<T>): Promise<T | null> {
    if (busy) return null;
    busy = true;
    onBusy(true);
    try {
      return await run();
    } finally {
      busy = false;
      onBusy(false);
    }
  };
}
