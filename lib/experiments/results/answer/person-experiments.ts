import { MULTIPLE } from "#lib/engines/statistics/sample-ratio.ts";
import { selectRuns } from "#lib/experiments/experiments/lifecycle/phases.ts";
import { statusOf } from "#lib/experiments/experiments/status.ts";
import type { ExperimentRow } from "#lib/experiments/experiments/store.ts";
import type {
  PersonExperiment,
  personExperimentsContract,
} from "#lib/experiments/results/person-contract.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import { selectServed } from "#lib/flags/feature_flags/usage/served-store.ts";
import { personOf, readDistinctIds } from "#lib/people/persons/service.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { selectLaunched, selectPersonUnits } from "./person-store.ts";

type Of<Name extends keyof typeof personExperimentsContract> = Input<
  (typeof personExperimentsContract)[Name]
>;
type Part = Pick<PersonExperiment, "variant" | "first_exposed_at" | "counts" | "reason">;

/** In how many of a person's newest events calls of experiments' flags are looked for. */
const CALLED_EVENTS = 10_000;

function partOf(unit: { variant: string; first_at: number }): Part {
  const isHeldOut = unit.variant.startsWith("holdout-");
  const isMultiple = unit.variant === MULTIPLE;
  return {
    variant: isMultiple ? null : unit.variant,
    first_exposed_at: instant(new Date(Math.round(unit.first_at))),
    counts: !isMultiple && !isHeldOut,
    reason: isMultiple ? "multiple_variants" : isHeldOut ? "held_out" : null,
  };
}

/** The part of somebody who called the flag and is not in the results. */
function absentPart({ start_date, end_date }: ExperimentRow, calledAt: number): Part {
  const isOutside =
    (start_date !== null && calledAt < start_date.getTime()) ||
    (end_date !== null && calledAt > end_date.getTime());
  return {
    variant: null,
    first_exposed_at: null,
    counts: false,
    reason: isOutside ? "outside_dates" : "no_exposure",
  };
}

/** The experiments that a person takes part in, from the stored rows of the results. */
export async function experiments(context: MemberContext, { params }: Of<"experiments">) {
  const { db, project, runtime } = context;
  const person = await personOf(context, params.id);
  const distinct_ids = await readDistinctIds(context, params.id);
  const [units, served, { byId }] = await Promise.all([
    selectPersonUnits(db, project.id, String(person.id)),
    selectServed(db, { project_id: project.id, distinct_ids }, CALLED_EVENTS),
    runtime.flags.project(project.id),
  ]);
  const unitBy = new Map(units.map((unit) => [unit.experiment_id, unit]));
  const calledAt = new Map(served.rows.map(({ key, at }) => [key, at]));
  const called = [...byId.values()].filter((flag) => calledAt.has(flag.key)).map(({ id }) => id);
  const rows = await selectLaunched(db, project.id, { ids: [...unitBy.keys()], flag_ids: called });
  const runs = await selectRuns(db, rows);
  const found = rows.flatMap((row) => {
    const run = runs.get(row.id);
    // The key of a group may read like the number of a person.
    if (!run || run.last.aggregation_group_type_index !== null) return [];
    const unit = unitBy.get(row.id);
    const at = unit?.first_at ?? calledAt.get(run.last.flag_key);
    if (at === undefined) return [];
    const { id, name, archived } = row;
    const status = statusOf(row, byId.get(row.feature_flag_id));
    return [{ at, record: { id, name, status, archived, ...(unit ? partOf(unit) : absentPart(row, at)) } }];
  });
  return { results: found.sort((a, b) => b.at - a.at).map(({ record }) => record) };
}
