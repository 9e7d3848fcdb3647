import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that start servers and processes of their own take longest: last, they would leave one worker idle. */
const SLOW =
  /\/(tools|lib\/(app\/(server|demo|upgrade)|platform\/db|people\/events\/history))\/|\/(processes|kept-events)\.test\.ts$/;

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => SLOW.test(moduleId);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["{lib,components,tools}/**/*.test.ts"],
    globalSetup: ["testing/global-setup.ts"],
    setupFiles: ["testing/generated-input.ts"],
    // A deadline is for what hangs, not for a machine that has other things to do.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // One more than the two cores that this is for: tests wait for processes and databases of their own a fifth of the time.
    maxWorkers: 3,
    // Files share a worker's modules: reading them again for each took half of the time. Nothing that a module
    // keeps may therefore depend on which database it was first used with.
    isolate: false,
    // Node loads the project's files itself, as in production: faster than transforming each of them first.
    experimental: { viteModuleRunner: false },
    execArgv: ["./lib/platform/quick-imports.ts", "./testing/component-imports.ts"].flatMap((file) => [
      "--import",
      file,
    ]),
    sequence: { sequencer: SlowFirst },
  },
});
