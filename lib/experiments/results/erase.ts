import { Unsupported } from "#lib/engines/evaluation/event-filters.ts";
import { selectExperimentRow } from "#lib/experiments/results/days/store.ts";
import { subtractUnits } from "#lib/experiments/results/days/subtract.ts";
import { latestOf } from "#lib/experiments/results/plan/plan.ts";
import type { Runtime } from "#lib/flags/context.ts";
import type { ErasedEvent, EraseStep, Unchanged } from "#lib/people/erasures/step.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { enqueue, readJobState } from "#lib/platform/jobs/queue.ts";
import {
  type Affected,
  forgetFigures,
  selectExperimentsOf,
  selectRecorded,
  selectUnitsOf,
} from "./erase-store.ts";
import { type Prepared, prepare } from "./prepare.ts";
import { recalculateDays, recalculationKey } from "./recalculate.ts";
import { deleteUnits } from "./units/units-store.ts";

/** The keys of all groups that events name, each with the first moment at which one does. */
function groupKeysOf(events: readonly ErasedEvent[]): Map<string, number> {
  const keys = new Map<string, number>();
  for (const { at, properties } of events) {
    const groups = properties.$groups;
    if (typeof groups !== "object" || groups === null) continue;
    for (const key of Object.values(groups))
      if (key !== null && typeof key !== "object")
        keys.set(String(key), Math.min(at, keys.get(String(key)) ?? at));
  }
  return keys;
}

/** The key of the job that recomputes an experiment after somebody was erased. */
const keyOf = (experimentId: number) => recalculationKey(experimentId, "erased person");

/** An experiment whose figures cannot be computed again; null: they can. */
async function findSealed(
  tx: Db,
  reading: Pick<Runtime, "flags" | "directory">,
  { experiment_id, sealed }: Affected,
): Promise<Prepared | null> {
  const experiment = sealed ? await selectExperimentRow(tx, experiment_id) : null;
  if (!experiment) return null;
  const { projects } = await reading.directory.current();
  try {
    const timezone = projects.get(experiment.project_id)?.timezone ?? "UTC";
    const prepared = await prepare(reading, tx, experiment, timezone);
    return prepared.sealed_before && prepared;
  } catch (error) {
    if (error instanceof Unsupported) return null;
    throw error;
  }
}

/** Subtracts persons from an experiment whose figures cannot be computed again. @returns whether it is one */
async function subtractSealed(
  tx: Db,
  reading: Pick<Runtime, "flags" | "directory">,
  affected: Affected,
  persons: readonly string[],
  note: (unchanged: Unchanged) => void,
): Promise<boolean> {
  const sealed = await findSealed(tx, reading, affected);
  if (!sealed) return false;
  // The key of a group may look like the number of a person.
  if (sealed.plan.group_type !== null) return true;
  const recorded_days = await subtractUnits(tx, sealed, persons, new Date());
  if (recorded_days > 0) note({ experiment_id: affected.experiment_id, recorded_days });
  return true;
}

/**
 * Takes an erased person out of experiments. Where persons are the units, the person is recomputed as merged persons
 * are, and so found to have no events; recorded days are computed again. Groups to whose figures the person has
 * contributed cannot be recomputed one by one: their experiments start from the stored events.
 *
 * Where events behind the figures were deleted, nothing can be recomputed: what is stored of the person is subtracted,
 * and it is noted which figures still contain more.
 */
export function createEraseUnits(reading: Pick<Runtime, "flags" | "directory">): EraseStep {
  return {
    stored: async (db, { project_id, person_ids }) => ({
      experiment_units: await selectUnitsOf(db, project_id, person_ids.map(String)),
    }),
    events: async (tx, projectId, events, note) => {
      const keys = groupKeysOf(events);
      if (keys.size === 0) return {};
      const first = Math.min(...keys.values());
      const open: number[] = [];
      for (const affected of await selectExperimentsOf(tx, projectId, [...keys.keys()])) {
        const { experiment_id } = affected;
        const sealed = await findSealed(tx, reading, affected);
        if (!sealed) open.push(experiment_id);
        else if (sealed.plan.group_type !== null && first < latestOf(sealed.plan))
          note({ experiment_id, recorded_days: null });
      }
      await forgetFigures(tx, open);
      return {};
    },
    person: async (tx, { project_id, person_ids }, note) => {
      const persons = person_ids.map(String);
      const found = await selectExperimentsOf(tx, project_id, persons);
      const open: number[] = [];
      for (const affected of found)
        if (!(await subtractSealed(tx, reading, affected, persons, note))) open.push(affected.experiment_id);
      for (const { id, experiment_id, fingerprint } of await selectRecorded(tx, open))
        await enqueue(tx, recalculateDays, recalculationKey(experiment_id, fingerprint), {
          experiment_id,
          series_id: id,
        });
      for (const experiment_id of open)
        await enqueue(tx, recalculateDays, keyOf(experiment_id), { experiment_id, series_id: null });
      return { experiment_units: found.reduce((sum, { units }) => sum + units, 0) };
    },
    // What no recomputation has removed is of an experiment that cannot be computed, such as a deleted one, or whose
    // events were deleted meanwhile.
    isDone: async (tx, { project_id, person_ids }, note) => {
      const persons = person_ids.map(String);
      const stuck: number[] = [];
      for (const affected of await selectExperimentsOf(tx, project_id, persons)) {
        const { experiment_id } = affected;
        if (await subtractSealed(tx, reading, affected, persons, note)) continue;
        const job = await readJobState(tx, recalculateDays.name, keyOf(experiment_id));
        if (job && job.state !== "done" && job.state !== "failed" && job.last_error === null) return false;
        stuck.push(experiment_id);
      }
      await forgetFigures(tx, stuck);
      for (const experiment_id of stuck) await deleteUnits(tx, experiment_id, persons);
      return true;
    },
  };
}
