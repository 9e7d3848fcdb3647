import { setTimeout as delay } from "node:timers/promises";
import { experimentOf } from "#lib/experiments/lookup.ts";
import type { MemberContext } from "#lib/http/context.ts";
import { invalid } from "#lib/http/errors.ts";
import { advance } from "./advance.ts";
import { type ExperimentRow, type Prepared, prepare } from "./prepare.ts";
import type { Figures } from "./series.ts";
import { Unsupported } from "./sources.ts";

/** How long an answer waits for a first computation before it says that it is under way. */
const PATIENCE_MS = 8_000;

/** What a process computes at present, by experiment: one after the other, so that nobody repeats another's work. */
const queues = new Map<number, Promise<unknown>>();

type Place = Pick<MemberContext, "runtime" | "db" | "now">;

/** Brings an experiment up to date, after what this process already does for it. */
export function figuresOf(context: Place, prepared: Prepared, { rebuild = false } = {}): Promise<Figures> {
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
