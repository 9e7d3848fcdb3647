/** What has to be done whatever happens, in reverse order. */
export type CleanUp = {
  later(step: () => unknown): void;
  /** Does all of it, once; what fails does not keep the rest from being done. */
  run(): Promise<void>;
};

export function createCleanUp(): CleanUp {
  const steps: (() => unknown)[] = [];
  let running: Promise<void> | undefined;
  const all = async () => {
    for (let step = steps.pop(); step; step = steps.pop())
      try {
        await step();
      } catch (error) {
        console.error(`Not everything could be removed: ${error instanceof Error ? error.message : error}`);
      }
  };
  return {
    later: (step) => steps.push(step),
    run: () => {
      running ??= all();
      return running;
    },
  };
}
