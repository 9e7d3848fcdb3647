/**
 * Vitest's runner for one test file and many mutants. The file runs once as it is, which tells which mutants each
 * test passes; then again for each of them, in the same process and with the modules already loaded. Only mutants
 * of code that runs while modules are loaded need them loaded again.
 */
import { appendFileSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { vi } from "vitest";
import { startTests } from "vitest/internal/browser";
import { VitestTestRunner } from "vitest/runners";
import { JOB_VARIABLE, type Job, jobSchema, type Progress } from "./protocol.ts";

type Tasks = Awaited<ReturnType<typeof startTests>>;
type File = Tasks[number];
type Task = File["tasks"][number];
type Test = Extract<Task, { type: "test" }>;

const LOADING = -1;
const HOOKS = -2;
const LEAST_TIMEOUT_MS = 8_000;
/** More passes of a mutant than this many times the usual number are an endless loop. */
const HITS_FACTOR = 20;
const HITS_AT_LEAST = 20_000;
const SEED = 20_260_101;

/** What the instrumented code of one file talks to; mutants are numbered from 1. */
class Switches {
  active = 0;
  recording = true;
  #hits = 0;
  limit = 0;
  /** How often each mutant was passed while recording, and by which tests. */
  readonly passes: number[] = [];
  readonly places: Set<number>[] = [];
  readonly #control: Control;

  constructor(control: Control) {
    this.#control = control;
  }

  cover(...ids: number[]): void {
    for (const id of ids) {
      this.passes[id] = (this.passes[id] ?? 0) + 1;
      this.places[id] ??= new Set();
      this.places[id].add(this.#control.place);
    }
  }

  activate(id: number): void {
    this.active = id;
    this.#hits = 0;
    this.limit = Math.max(HITS_AT_LEAST, (this.passes[id] ?? 0) * HITS_FACTOR);
  }

  hit(): boolean {
    if (++this.#hits > this.limit) throw new Error("Endless loop.");
    return true;
  }
}

class Control {
  /** The test that runs, LOADING or HOOKS. */
  place = LOADING;
  readonly files = new Map<string, Switches>();

  switches(file: string): Switches {
    const switches = this.files.get(file) ?? new Switches(this);
    this.files.set(file, switches);
    return switches;
  }
}

const shared: typeof globalThis & { __mutation?: Control } = globalThis;

const job = jobSchema.parse(JSON.parse(readFileSync(process.env[JOB_VARIABLE] ?? "", "utf8")));
const report = (progress: Progress) => appendFileSync(job.log, `${JSON.stringify(progress)}\n`);

const testsOf = (tasks: readonly Task[]): Test[] =>
  tasks.flatMap((task) => (task.type === "test" ? [task] : testsOf(task.tasks)));

const hasFailed = (task: Task | File): boolean =>
  task.result?.state === "fail" || ("tasks" in task && task.tasks.some(hasFailed));

const nameOf = (task: Task): string => (task.suite ? `${nameOf(task.suite)} > ${task.name}` : task.name);

type Choice = { isChosen: (index: number) => boolean; timeout: number };

class MutationRunner extends VitestTestRunner {
  readonly #control = new Control();
  readonly #indexes = new Map<unknown, number>();
  readonly #unfit = new Set<number>();
  #unhandled = 0;

  constructor(config: ConstructorParameters<typeof VitestTestRunner>[0]) {
    super(config);
    shared.__mutation = this.#control;
    // Reproducible, and without the search for the smallest counterexample.
    fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED, endOnFailure: true });
    for (const event of ["unhandledRejection", "uncaughtException"])
      process.on(event, () => {
        this.#unhandled++;
      });
  }

  onBeforeRunFiles(files: File[]): void {
    for (const [index, test] of testsOf(files.flatMap((file) => file.tasks)).entries())
      this.#indexes.set(test, index);
    this.#control.place = HOOKS;
  }

  override async onBeforeRunTask(test: Test): Promise<void> {
    await super.onBeforeRunTask(test);
    this.#control.place = this.#indexes.get(test) ?? HOOKS;
  }

  override onAfterRunTask(test: Test): void {
    super.onAfterRunTask(test);
    this.#control.place = HOOKS;
  }

  override onAfterRunFiles(files?: File[]): Promise<void> {
    super.onAfterRunFiles();
    return this.#tryMutants(files?.[0]);
  }

  async #tryMutants(file: File | undefined): Promise<void> {
    if (!file) return;
    for (const switches of this.#control.files.values()) switches.recording = false;
    const tests = testsOf(file.tasks);
    const failed = tests.filter(hasFailed);
    // Tests of speed fail with switches in the code: they are left out. Where anything else fails, all is void.
    for (const test of failed) this.#unfit.add(this.#indexes.get(test) ?? HOOKS);
    if (hasFailed(file) && (failed.length === 0 || failed.length > tests.length / 2))
      return report({ type: "broken", failed: failed.map(nameOf) });
    const covered = [...this.#control.files].flatMap(([name, { places }]) =>
      Object.keys(places).map((id) => `${name}#${id}`),
    );
    report({ type: "ready", pid: process.pid, covered, unfit: failed.map(nameOf) });
    // The runs that follow are not reported.
    Object.assign(this, { onTaskUpdate: () => undefined });
    const took = file.result?.duration ?? 0;
    const timeout = Math.max(LEAST_TIMEOUT_MS, took * 3);
    const mutants = job.mutants.filter(({ file, id }) => this.#control.files.get(file)?.places[id]);
    let since = 0;
    for (const mutant of mutants) {
      report({ type: "begin", key: mutant.key, limit: timeout * 2 });
      const by = await this.#try(mutant, timeout);
      report({ type: "end", key: mutant.key, outcome: by === null ? "survived" : "killed", by });
      since++;
      if (since >= job.checkEvery || mutant === mutants.at(-1)) {
        since = 0;
        if ((await this.#failing({ isChosen: () => true, timeout })) !== null)
          return report({ type: "dirty" });
        report({ type: "clean" });
      }
    }
    report({ type: "done" });
  }

  /** Runs the tests that may notice a mutant; the name of one that does, or null. */
  async #try({ file, id }: Job["mutants"][number], timeout: number): Promise<string | null> {
    const switches = this.#control.switches(file);
    const places = switches.places[id] ?? new Set();
    const isLoaded = places.has(LOADING);
    const isEverywhere = isLoaded || places.has(HOOKS);
    const last = Math.max(...places);
    const isChosen = (index: number) => isEverywhere || (job.isOrdered ? index <= last : places.has(index));
    if (isLoaded) vi.resetModules();
    switches.activate(id);
    const by = await this.#failing({ isChosen, timeout });
    switches.activate(0);
    if (isLoaded) vi.resetModules();
    return by;
  }

  /** Runs the test file again; the name of the first test that fails, or null. */
  async #failing({ isChosen, timeout }: Choice): Promise<string | null> {
    this.#forgetTestFile();
    let index = 0;
    let failure: string | null = null;
    const quiet: VitestTestRunner = Object.create(this, {
      config: { value: { ...this.config, testTimeout: timeout, hookTimeout: timeout } },
      onCollected: { value: () => undefined },
      onTaskUpdate: { value: () => undefined },
      onBeforeRunFiles: { value: () => undefined },
      onAfterRunFiles: { value: () => VitestTestRunner.prototype.onAfterRunFiles.call(this) },
      onBeforeRunTask: {
        value: async (test: Test) => {
          await VitestTestRunner.prototype.onBeforeRunTask.call(this, test);
          const isFit = isChosen(index) && !this.#unfit.has(index);
          index++;
          if (failure !== null || !isFit) test.mode = "skip";
        },
      },
      onAfterRunTask: {
        value: (test: Test) => {
          VitestTestRunner.prototype.onAfterRunTask.call(this, test);
          if (failure === null && hasFailed(test)) failure = nameOf(test);
        },
      },
    });
    const unhandled = this.#unhandled;
    const files = await startTests([job.testFile], quiet);
    if (failure === null && files.some(hasFailed)) failure = "a hook, or the file as a whole";
    if (failure === null && this.#unhandled > unhandled) failure = "an unhandled error";
    return failure;
  }

  #forgetTestFile(): void {
    const { evaluatedModules } = (this as unknown as { workerState: { evaluatedModules: EvaluatedModules } })
      .workerState;
    for (const module of evaluatedModules.fileToModulesMap.get(job.testFile) ?? [])
      evaluatedModules.invalidateModule(module);
  }
}

type EvaluatedModules = {
  fileToModulesMap: Map<string, Set<object>>;
  invalidateModule: (module: object) => void;
};

// biome-ignore lint/style/noDefaultExport: vitest looks for the runner there
export default MutationRunner;
