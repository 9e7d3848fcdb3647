import { Unsupported } from "#lib/engines/evaluation/event-filters.ts";
import { advance } from "#lib/experiments/results/days/advance.ts";
import { sealState, selectState, selectUnsealed } from "#lib/experiments/results/days/store.ts";
import { createReader } from "#lib/experiments/results/events/reader.ts";
import { earliestOf, latestOf } from "#lib/experiments/results/plan/plan.ts";
import type { Runtime } from "#lib/flags/context.ts";
import { type EventReaders, latestHorizon } from "#lib/people/retention/horizons.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { type ExperimentRow, type Prepared, prepare } from "./prepare.ts";

type Reading = Pick<Runtime, "flags" | "directory">;

/** What an experiment's figures are computed from; `prepared` null: they cannot be computed now. */
type Reads = { experiment: ExperimentRow; prepared: Prepared | null; events: string[] | null; from: number };

async function readsOf(reading: Reading, db: Db, experiment: ExperimentRow): Promise<Reads> {
  const timezone = (await reading.directory.current()).projects.get(experiment.project_id)?.timezone;
  try {
    const prepared = await prepare(reading, db, experiment, timezone ?? "UTC");
    const { plan } = prepared;
    return { experiment, prepared, events: createReader(plan).names, from: earliestOf(plan) };
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    return { experiment, prepared: null, events: null, from: experiment.start_date?.getTime() ?? 0 };
  }
}

/** Whether new events can still change its figures. */
const isOpen = ({ experiment, prepared }: Reads, now: Date): boolean =>
  !experiment.deleted && prepared !== null && latestOf(prepared.plan) > now.getTime();

/**
 * Experiments, as far as deleting events concerns them. Those that are open need their events, because people may be
 * computed again from all they did. The figures of the others are computed a last time, and then stay.
 */
export function createEventReaders(db: Db, reading: Reading): EventReaders {
  const readsIn = async (projectId: number, now: Date) => {
    const rows = await selectUnsealed(db, projectId, now);
    const reads: Reads[] = [];
    for (const row of rows) reads.push(await readsOf(reading, db, row));
    return reads;
  };
  return {
    async uses(projectId, now) {
      return (await readsIn(projectId, now))
        .filter((reads) => isOpen(reads, now))
        .map(({ experiment, events, from }) => ({
          name: `experiment ${experiment.name}`,
          events,
          from: new Date(from),
        }));
    },
    async settle(projectId, horizons, now) {
      for (const reads of await readsIn(projectId, now)) {
        const { experiment, prepared, events, from } = reads;
        const before = latestHorizon(horizons, events);
        if (isOpen(reads, now) || !before || before.getTime() <= from) continue;
        if (prepared && !experiment.deleted) await advance(db, prepared, { now });
        if (await selectState(db, experiment.id)) await sealState(db, experiment.id);
      }
    },
  };
}
