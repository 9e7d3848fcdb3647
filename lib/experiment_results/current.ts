import { setTimeout as delay } from "node:timers/promises";
import { experimentOf } from "#lib/experiments/lookup.ts";
import type { MemberContext } from "#lib/http/context.ts";
import { invalid } from "#lib/http/errors.ts";
import { advance } from "./advance.ts";
import { selectEventCount } from "./events_store.ts";
import { type ExperimentRow, type Prepared, prepare } from "./prepare.ts";
import { createReader } from "./reader.ts";
import type { Figures } from "./series.ts";
import { Unsupported } from "./sources.ts";

/** How long an answer waits for a first computation before it says that it is under way. */
const PATIENCE_MS = 8_000;

/** What a process computes at present, by experiment: one after the other, so that nobody repeats another's work. */
const queues = new Map<number, Promise<unknown>>();
const progress = new Map<number, number>();

/** How far the computation of an experiment is in this process, 0 to 1; null where there is none. */
export const progressOf = (experimentId: number): number | null => progress.get(experimentId) ?? null;

type Place = Pick<MemberContext, "runtime" | "db" | "now">;

async function run(context: Place, prepared: Prepared, rebuild: boolean): Promise<Figures> {
  const { id, project_id } = prepared.experiment;
  let expected: number | null = null;
  const read = (events: number) => {
    if (expected !== null) progress.set(id, Math.min(0.95, events / Math.max(1, expected)));
  };
  expected = await selectEventCount(context.db, project_id, createReader(prepared.plan).names);
  try {
    return await advance(context.db, prepared, { now: context.now, rebuild, read });
  } finally {
    progress.delete(id);
  }
}

/** Brings an experiment up to date, after what this process already does for it. */
export function figuresOf(context: Place, prepared: Prepared, { rebuild = false } = {}): Promise<Figures> {
  const { id } = prepared.experiment;
  const before = queues.get(id) ?? Promise.resolve();
  const mine = before.catch(() => undefined).then(() => run(context, prepared, rebuild));
  queues.set(id, mine);
  const forget = () => {
    if (queues.get(id) === mine) queues.delete(id);
  };
  mine.then(forget, forget);
  return mine;
}

/** The same, but null when it takes so long that whoever asked should ask again; it goes on meanwhile. */
export async function figuresSoon(context: Place, prepared: Prepared): Promise<Figures | null> {
  const figures = figuresOf(context, prepared);
  const stop = new AbortController();
  const waited = delay(PATIENCE_MS, null, { signal: stop.signal, ref: false });
  // Whichever loses must not end the process with a rejection that nobody heard.
  figures.catch(() => undefined);
  waited.catch(() => undefined);
  const first = await Promise.race([figures, waited]);
  stop.abort();
  return first;
}

/** An experiment that has started, with what it is about. @throws ApiError 404; 400 for a draft */
export async function startedExperiment(
  context: MemberContext,
  id: number,
): Promise<ExperimentRow & { start_date: Date }> {
  return started(await experimentOf(context, id));
}

/** The same experiment, known to have started. @throws ApiError 400 for a draft */
export function started(experiment: ExperimentRow): ExperimentRow & { start_date: Date } {
  const { start_date } = experiment;
  if (!start_date) throw invalid("The experiment has not started yet.");
  return { ...experiment, start_date };
}

/** What an experiment is about. @throws ApiError 400 with the reason why nothing of it can be computed */
export async function preparedOf(context: MemberContext, experiment: ExperimentRow): Promise<Prepared> {
  try {
    return await prepare(context.runtime, context.db, experiment, context.project.timezone);
  } catch (error) {
    if (error instanceof Unsupported) throw invalid(error.message);
    throw error;
  }
}
