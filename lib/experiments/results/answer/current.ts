import { setTimeout as delay } from "node:timers/promises";
import { Unsupported } from "#lib/engines/evaluation/event-filters.ts";
import { loadExperiment } from "#lib/experiments/experiments/lookup.ts";
import { advance } from "#lib/experiments/results/days/advance.ts";
import type { Figures } from "#lib/experiments/results/days/series.ts";
import { type ExperimentRow, type Prepared, prepare } from "#lib/experiments/results/prepare.ts";
import type { MemberContext } from "#lib/flags/context.ts";

import { invalid } from "#lib/platform/http/errors.ts";

/** How long an answer waits for a first computation before it says that it is under way. */
const PATIENCE_MS = 8_000;

/** What this process is computing, by experiment: one after the other, so that no work is repeated. */
const queues = new Map<number, Promise<unknown>>();

type Context = Pick<MemberContext, "runtime" | "db" | "now">;

/** Brings an experiment up to date, after what this process already does for it. */
export function updateFigures(
  context: Context,
  prepared: Prepared,
  { rebuild = false } = {},
): Promise<Figures> {
  const { id } = prepared.experiment;
  const before = queues.get(id) ?? Promise.resolve();
  const mine = before
    .catch(() => undefined)
    .then(() => advance(context.db, prepared, { now: context.now, rebuild }));
  queues.set(id, mine);
  const forget = () => {
    if (queues.get(id) === mine) queues.delete(id);
  };
  mine.then(forget, forget);
  return mine;
}

/** The same, but null when it takes so long that the caller should retry; it goes on meanwhile. */
export async function tryUpdateFigures(context: Context, prepared: Prepared): Promise<Figures | null> {
  const figures = updateFigures(context, prepared);
  const stop = new AbortController();
  const waited = delay(PATIENCE_MS, null, { signal: stop.signal, ref: false });
  // The race also listens to whichever loses, so that its rejection does not end the process.
  const first = await Promise.race([figures, waited]);
  stop.abort();
  return first;
}

/** An experiment that has started, with what it is about. @throws ApiError 404; 400 for a draft */
export async function loadStartedExperiment(
  context: MemberContext,
  id: number,
): Promise<ExperimentRow & { start_date: Date }> {
  return requireStarted(await loadExperiment(context, id));
}

/** The same experiment, known to have started. @throws ApiError 400 for a draft */
export function requireStarted(experiment: ExperimentRow): ExperimentRow & { start_date: Date } {
  const { start_date } = experiment;
  if (!start_date) throw invalid("The experiment has not started yet.");
  return { ...experiment, start_date };
}

/** What an experiment is about. @throws ApiError 400 with the reason why nothing of it can be computed */
export async function prepareExperiment(
  context: MemberContext,
  experiment: ExperimentRow,
): Promise<Prepared> {
  try {
    return await prepare(context.runtime, context.db, experiment, context.project.timezone);
  } catch (error) {
    if (error instanceof Unsupported) throw invalid(error.message);
    throw error;
  }
}
