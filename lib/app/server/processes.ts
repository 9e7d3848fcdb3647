import cluster, { type Worker } from "node:cluster";
import { availableParallelism } from "node:os";
import v8 from "node:v8";
import { log } from "#lib/platform/log.ts";
import { usableMemory } from "#lib/platform/memory.ts";
import type { Serving, SiblingMessage, SupervisorMessage } from "#lib/platform/siblings.ts";

/** As many helpers as Node gives a process that has a machine to itself, for collecting garbage among other things. */
const MOST_HELPERS = 4;

/** Helpers of all processes share the cores: a process waits for the slowest of its own while it collects garbage. */
const helpersOf = (processes: number) =>
  Math.min(MOST_HELPERS, Math.max(1, Math.floor(availableParallelism() / processes)));

/**
 * Requests wait while the whole heap is collected, so that happens only once the heap is four times what is in use: under
 * load, a fifth as often as by default.
 */
const LAZY_COLLECTION = "--heap-growing-percent=300";

/**
 * When a process allocates less for a while, V8 collects its whole heap. By default it then gives back as much memory as
 * it can, and requests wait for 0.2 s; with this option, they wait for 0.03 s.
 */
const SHORT_COLLECTION = "--no-memory-reducer-favors-memory";

/**
 * Answers are buffers outside of the heap. By default, V8 collects the whole heap once 64 MB of them have been allocated,
 * though all are young and most are free: four times a second under load. With this option, they count as part of the
 * heap, and are freed with its young objects.
 */
const BUFFERS_IN_HEAP = "--external-memory-accounted-in-global-limit";

/** A process with less memory collects as V8 does by default. */
const AMPLE_BYTES = 1024 ** 3;

/** How a process that serves collects its garbage; to be set before it allocates much. */
export function collectForServing(): void {
  if (usableMemory() < AMPLE_BYTES) return;
  for (const option of [LAZY_COLLECTION, SHORT_COLLECTION, BUFFERS_IN_HEAP]) v8.setFlagsFromString(option);
}

/** A process that ended so soon is started again after a pause. */
const SHORT_LIFE_MS = 10_000;
const PAUSE_MS = 1_000;

const send = (worker: Worker | undefined, message: SupervisorMessage) =>
  worker?.send(message, () => undefined);

type Asking = Extract<SiblingMessage, { ask: string }>;

/** Questions that some processes have yet to answer. */
function createQuestions() {
  type Question = { from: Worker; id: number; missing: Set<Worker>; payloads: unknown[] };
  const open = new Map<string, Question>();
  let asked = 0;
  const settle = (question: string, by: Worker, payload?: unknown) => {
    const asked = open.get(question);
    if (!asked?.missing.delete(by)) return;
    const { from, id, missing, payloads } = asked;
    if (payload !== undefined) payloads.push(payload);
    if (missing.size > 0) return;
    open.delete(question);
    send(from, { answered: id, payloads });
  };
  return {
    settle,
    ask(from: Worker, { ask, about, id }: Asking, others: readonly Worker[]) {
      if (others.length === 0) return send(from, { answered: id, payloads: [] });
      asked += 1;
      const question = String(asked);
      open.set(question, { from, id, missing: new Set(others), payloads: [] });
      for (const other of others) send(other, { asked: ask, about, question });
    },
    /** A process has ended: nobody waits for its answers. */
    drop(by: Worker) {
      for (const question of open.keys()) settle(question, by);
    },
  };
}

/**
 * Runs this program several times behind one listener, starts each again when it ends, and passes on what they tell
 * each other (see lib/platform/siblings.ts). The first makes what all need, so the others start once it serves.
 *
 * @param announce called once all of them serve
 */
export function startProcesses(count: number, announce: (serving: Serving) => void) {
  const ready = new Set<Worker>();
  const questions = createQuestions();
  let isStopping = false;
  let isAnnounced = false;
  let worst = 0;
  /** What the first one listens at, once it serves: with PORT=0, the system has chosen it. */
  let port: number | undefined;
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  const alive = () => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);

  cluster.setupPrimary({
    execArgv: [...process.execArgv, `--v8-pool-size=${helpersOf(count)}`],
  });
  const start = () => {
    const began = Date.now();
    const worker = cluster.fork(port === undefined ? {} : { PORT: port });
    worker.on("message", (message: SiblingMessage) => hear(worker, message));
    worker.once("exit", (status, signal) => {
      const wasReady = ready.delete(worker);
      const isFailedStart = worker === first && !wasReady;
      questions.drop(worker);
      // One that is stopped while it starts ends as it may.
      if (wasReady || isFailedStart) worst = Math.max(worst, status ?? 1);
      if (isStopping || isFailedStart) {
        if (alive().length === 0) end(worst);
        return;
      }
      log().warn(`A process ended (${signal ?? `status ${status}`}) and is started again.`);
      const pause = Date.now() - began < SHORT_LIFE_MS ? PAUSE_MS : 0;
      setTimeout(() => !isStopping && start(), pause);
    });
    return worker;
  };
  const hear = (worker: Worker, message: SiblingMessage) => {
    const others = [...ready].filter((other) => other !== worker);
    if ("answer" in message) questions.settle(message.answer, worker, message.payload);
    else if ("ask" in message) questions.ask(worker, message, others);
    else if ("tell" in message)
      for (const other of others) send(other, { told: message.tell, payload: message.payload });
    else serves(worker, message);
  };
  const serves = (worker: Worker, serving: Serving) => {
    ready.add(worker);
    port ??= serving.port;
    if (worker === first && !isStopping) for (let i = 1; i < count; i++) start();
    if (ready.size < count || isAnnounced) return;
    isAnnounced = true;
    announce(serving);
  };
  const first = start();

  return {
    /** Resolves with the exit status once all have ended: because they were stopped, or the first could not start. */
    ended,
    /** Lets all of them finish what they are doing. */
    stop() {
      isStopping = true;
      worst = 0;
      for (const worker of alive()) worker.process.kill("SIGTERM");
      if (alive().length === 0) end(0);
    },
  };
}
