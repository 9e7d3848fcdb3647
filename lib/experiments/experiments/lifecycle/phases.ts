import { sameJson } from "#lib/activity/changes.ts";
import type { Json } from "#lib/engines/json.ts";
import type { Variant } from "#lib/experiments/experiments/rules.ts";
import type { ExperimentRow } from "#lib/experiments/experiments/store.ts";
import type { FlagRow } from "#lib/flags/feature_flags/store.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { variantsOf } from "./flags.ts";
import { insertPhases, type PhaseRow, selectFlagChanges, selectPhases } from "./phase-store.ts";

/** The parts of a flag that an experiment's figures depend on. */
export type Subject = Pick<PhaseRow, "flag_key" | "variants" | "aggregation_group_type_index">;

/** A split and when it was in force: from `from` until before `to`; null for the current one. */
export type Phase = { from: Date; to: Date | null; variants: Variant[] };

/** What was recorded of an experiment's flag while it ran. */
export type FlagRecordOfRun = {
  /** The flag's last state: at the experiment's end, or now. */
  last: Subject;
  /** The splits one after the other; at least one. */
  phases: Phase[];
};

/** Reads those parts from a flag's filters, which may be of any age. */
export const readSubject = (key: string, filters: Json): Subject => {
  const index = filters.aggregation_group_type_index;
  return {
    flag_key: key,
    variants: variantsOf(filters),
    aggregation_group_type_index: typeof index === "number" ? index : null,
  };
};

const isSameSubject = (a: Subject, b: Subject) =>
  a.flag_key === b.flag_key &&
  a.aggregation_group_type_index === b.aggregation_group_type_index &&
  sameJson(a.variants, b.variants);

const sharesOf = (variants: readonly Variant[]) =>
  variants.map(({ key, rollout_percentage }) => [key, rollout_percentage]);

export const isSameSplit = (a: readonly Variant[], b: readonly Variant[]) =>
  sameJson(sharesOf(a), sharesOf(b));

/**
 * The run of a launched experiment, from what was recorded of its flag: what was in force at the start, and each
 * later split up to the end. Nothing after the end counts.
 *
 * @param rows of the experiment, oldest first
 * @returns null for a draft
 */
function runOf(
  { start_date, end_date }: Pick<ExperimentRow, "start_date" | "end_date">,
  rows: readonly PhaseRow[],
): FlagRecordOfRun | null {
  if (!start_date) return null;
  const until = rows.filter(({ started_at }) => !end_date || started_at < end_date);
  const known = until.length > 0 ? until : rows.slice(0, 1);
  const last = known.at(-1);
  if (!last) return null;
  const before = known.findLastIndex(({ started_at }) => started_at <= start_date);
  const phases: Phase[] = [];
  for (const { started_at, variants } of known.slice(Math.max(0, before))) {
    const open = phases.at(-1);
    if (open && isSameSplit(open.variants, variants)) open.variants = variants;
    else {
      if (open) open.to = started_at;
      phases.push({ from: open ? started_at : start_date, to: end_date, variants });
    }
  }
  return { last, phases };
}

/** The runs of experiments, by id; drafts have none. */
export async function selectRuns(db: Db, experiments: readonly ExperimentRow[]) {
  const launched = experiments.filter(({ start_date }) => start_date);
  const rows = Map.groupBy(
    await selectPhases(
      db,
      launched.map(({ id }) => id),
    ),
    (row) => row.experiment_id,
  );
  return new Map(launched.map((row) => [row.id, runOf(row, rows.get(row.id) ?? [])]));
}

/** The run of one experiment; null for a draft. */
export const selectRun = async (db: Db, experiment: ExperimentRow): Promise<FlagRecordOfRun | null> =>
  (await selectRuns(db, [experiment])).get(experiment.id) ?? null;

/**
 * Records what a flag is from a moment on for the launched experiments on it, where that is something new. Requests
 * that waited for one another may have begun in another order: a later record is given a later moment.
 */
export async function recordPhases(
  tx: Db,
  experiments: readonly Pick<ExperimentRow, "id" | "start_date">[],
  flag: Pick<FlagRow, "key" | "filters">,
  at: Date,
): Promise<void> {
  const ids = experiments.filter(({ start_date }) => start_date).map(({ id }) => id);
  const recorded = Map.groupBy(await selectPhases(tx, ids), (row) => row.experiment_id);
  const subject = readSubject(flag.key, flag.filters);
  const rows = ids.flatMap((experiment_id): PhaseRow[] => {
    const last = recorded.get(experiment_id)?.at(-1);
    if (last && isSameSubject(last, subject)) return [];
    const started_at = new Date(Math.max(at.getTime(), last ? last.started_at.getTime() + 1 : 0));
    return [{ experiment_id, started_at, ...subject }];
  });
  await insertPhases(tx, rows);
}

/**
 * Records the phases of an experiment that has just been given its start. The start may lie in the past: what the
 * flag was since then is found by undoing, one after the other, the changes in its log.
 */
export async function recordLaunch(
  tx: Db,
  { id, project_id, start_date }: Pick<ExperimentRow, "id" | "project_id" | "start_date">,
  flag: Pick<FlagRow, "id" | "key" | "filters">,
  now: Date,
): Promise<void> {
  if (!start_date) return;
  // Until a start that is still to come, the flag may change: those changes are recorded from now on.
  const start = start_date < now ? start_date : now;
  let [key, filters] = [flag.key, flag.filters];
  const rows: PhaseRow[] = [];
  for (const { at, changes } of (await selectFlagChanges(tx, project_id, flag.id, start)).reverse()) {
    rows.push({ experiment_id: id, started_at: at, ...readSubject(key, filters) });
    for (const { field, before } of changes) {
      if (field === "filters") filters = (before ?? {}) as Json;
      if (field === "key" && typeof before === "string") key = before;
    }
  }
  rows.push({ experiment_id: id, started_at: start, ...readSubject(key, filters) });
  await insertPhases(tx, rows);
}
