import { comparisonAt } from "#lib/engines/statistics/ramps/split.ts";
import type {
  Comparison,
  GuardrailObservation,
  Observations,
  Stratum,
} from "#lib/engines/statistics/ramps/types.ts";
import type { Sample } from "#lib/engines/statistics/types.ts";
import { METRIC_KINDS } from "#lib/experiments/metric_kinds/metric-kinds.ts";
import {
  selectGroupTypes,
  selectMerges,
  selectSeen,
  selectUnitEvents,
} from "#lib/experiments/results/events/events-store.ts";
import { createReader, type Reader } from "#lib/experiments/results/events/reader.ts";
import { buildScope, createGrouper } from "#lib/experiments/results/events/scope.ts";
import { parseSnapshot } from "#lib/experiments/results/events/snapshot.ts";
import type { Plan } from "#lib/experiments/results/plan/plan.ts";
import { computeState } from "#lib/experiments/results/units/unit.ts";
import type { Runtime } from "#lib/flags/context.ts";
import type { FlagRow } from "#lib/flags/feature_flags/store.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { createArms, createSubjects } from "./arms.ts";
import { EXPOSED, planMetrics, sampleType } from "./metrics.ts";
import {
  type ArmSums,
  type FreshPerson,
  insertEarlier,
  insertPeople,
  mergePeople,
  type PersonCells,
  type RunKey,
  selectCompared,
  selectFresh,
  sumPeople,
  updateCells,
} from "./people-store.ts";
import { lockRamp, lockRun, type RampRow, type RunRow, type StoredPlan, updateRun } from "./store.ts";

/** People worked on at once. */
const CHUNK = 1_000;

type Reading = Pick<Runtime, "definitions" | "directory">;

/** A run whose figures are brought up to date. */
type Observed = {
  ramp: RampRow;
  run: RunRow;
  flag: FlagRow;
  comparison: NonNullable<Comparison>;
  plan: Plan;
  reader: Reader;
  /** Exclusive, in milliseconds since 1970. */
  cut: number;
};

const keyOf = ({ ramp, run }: Pick<Observed, "ramp" | "run">): RunKey => ({ ramp_id: ramp.id, run: run.run });

const chunksOf = <T>(list: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(list.length / CHUNK) }, (_, i) => list.slice(i * CHUNK, (i + 1) * CHUNK));

/** What a run counts. */
export async function planOf(
  reading: Pick<Runtime, "directory">,
  db: Db,
  { ramp, run, flag }: { ramp: RampRow; run: RunRow; flag: { key: string } },
): Promise<Plan> {
  return planMetrics({
    guardrails: ramp.plan.guardrails,
    flag_key: flag.key,
    start: run.started_at.getTime(),
    timezone: (await reading.directory.current()).projects.get(ramp.project_id)?.timezone ?? "UTC",
    group_types: await selectGroupTypes(db, ramp.project_id),
  });
}

/** Puts people who have just been exposed into their arms. */
async function dealPeople(tx: Db, reading: Reading, of: Observed, fresh: readonly FreshPerson[]) {
  const { ramp, flag, comparison, cut } = of;
  if (fresh.length === 0) return;
  const { needs, armOf } = createArms(await reading.definitions.project(ramp.project_id), flag, comparison);
  const readSubjects = createSubjects(tx, ramp.project_id, needs);
  for (const chunk of chunksOf(fresh)) {
    const callers = chunk.map(({ person_id, distinct_id, at }) => ({
      person_id,
      distinct_id: distinct_id ?? "",
      at: at ?? cut,
    }));
    const subjectOf = await readSubjects(callers);
    await insertPeople(
      tx,
      keyOf(of),
      callers.map((caller) => ({ ...caller, ...armOf(subjectOf(caller)) })),
    );
  }
}

/** The database refuses products that are too small for its numbers. */
const SMALLEST = 1e-100;
const cell = (value: number): number => (Math.abs(value) < SMALLEST ? 0 : value);

/** Counts all that some people did within the run, from when they were exposed on. */
async function countPeople(tx: Db, of: Observed, exposed: ReadonlyMap<string, number>): Promise<void> {
  const { ramp, plan, reader, cut } = of;
  if (plan.metrics.length === 0) return;
  const scope = buildScope(plan, reader, ramp.project_id, cut);
  for (const chunk of chunksOf([...exposed.keys()])) {
    const counted: PersonCells[] = [];
    const grouper = createGrouper((person_id, events) => {
      const exposures = [{ at: exposed.get(person_id) ?? cut, variant: EXPOSED }];
      const state = computeState(plan, { ...reader.read(events), exposures }, cut);
      const cells = (state?.values ?? []).flatMap((value) => [
        cell(value?.value ?? 0),
        cell(value?.other ?? 0),
      ]);
      counted.push({ person_id, cells });
    });
    for await (const rows of selectUnitEvents(tx, scope, chunk)) grouper.push(rows);
    grouper.end();
    await updateCells(tx, keyOf(of), counted);
  }
}

const NOBODY = { n: 0, sum: 0, sum_squares: 0, other: 0, other_squares: 0, products: 0 };

/** A guardrail's sums over the people of one arm. */
function sampleOf(rows: readonly ArmSums[], is_treated: boolean, i: number, metric: Metric): Sample {
  const row = rows.find((each) => each.is_treated === is_treated);
  const { n, other, other_squares, products, ...sums } = { ...NOBODY, n: row?.n ?? 0, ...row?.sums[i] };
  const rules = METRIC_KINDS[metric.metric_type].sums;
  return {
    ...sums,
    n: rules.units === "started" ? other : n,
    ...(rules.denominator && {
      denominator_sum: other,
      denominator_sum_squares: other_squares,
      numerator_denominator_sum_product: products,
    }),
  };
}

type Metric = StoredPlan["guardrails"][number]["metric"];

function observationsOf(guardrails: StoredPlan["guardrails"], rows: readonly ArmSums[]): Observations {
  const strata = [...Map.groupBy(rows, ({ stratum }) => stratum).values()];
  const people = (is_treated: boolean) =>
    rows.reduce((sum, row) => sum + (row.is_treated === is_treated ? row.n : 0), 0);
  const observed = guardrails.map(({ id, metric }, i): [string, GuardrailObservation] => [
    id,
    {
      type: sampleType(metric),
      strata: strata.map(
        (of): Stratum => ({
          control: sampleOf(of, false, i, metric),
          treatment: sampleOf(of, true, i, metric),
        }),
      ),
    },
  ]);
  return {
    people: { control: people(false), treatment: people(true) },
    guardrails: Object.fromEntries(observed),
  };
}

/** Adds all that is new to a run's figures. Everything comes from one database snapshot, which it notes. */
async function advance(tx: Db, reading: Reading, of: Observed): Promise<void> {
  const { ramp, run, flag, reader, cut } = of;
  const key = keyOf(of);
  const seen = await selectSeen(tx);
  const since = run.seen === null ? null : { seen: run.seen, cut: run.cut_at.getTime() };
  const scope = {
    ...key,
    project_id: ramp.project_id,
    flag_key: flag.key,
    names: reader.names,
    from: run.started_at.getTime(),
    to: cut,
    since,
  };
  const merges = since ? await selectMerges(tx, ramp.project_id, parseSnapshot(since.seen).from) : [];
  if (since) await mergePeople(tx, key, merges);
  else await insertEarlier(tx, scope);
  const fresh = await selectFresh(tx, scope);
  await dealPeople(
    tx,
    reading,
    of,
    fresh.filter(({ is_known }) => !is_known),
  );
  const changed = [...fresh.map(({ person_id }) => person_id), ...merges.map(({ winner }) => winner)];
  await countPeople(tx, of, await selectCompared(tx, key, changed));
  const { guardrails } = ramp.plan;
  await updateRun(tx, ramp, {
    seen,
    cut_at: new Date(cut),
    observed: { ...observationsOf(guardrails, await sumPeople(tx, key, guardrails.length)) },
  });
}

/**
 * Brings the figures of a ramp's step up to date. The cost depends on what is new: people with new events are counted
 * again from their events within the step, and everybody is added up.
 *
 * @param flagOf the flag as it is stored; null where the step is over
 */
export async function observe(
  db: Db,
  reading: Reading,
  { id, run: number }: Pick<RampRow, "id" | "run">,
  flagOf: (tx: Db, ramp: RampRow) => Promise<FlagRow | null>,
  now: Date,
): Promise<void> {
  const work = async (tx: Db) => {
    const ramp = await lockRamp(tx, id);
    if (ramp?.status !== "running" || ramp.run !== number) return;
    const comparison = comparisonAt(ramp.before, ramp.plan, ramp.step);
    const flag = comparison && (await flagOf(tx, ramp));
    if (!comparison || !flag) return;
    const run = await lockRun(tx, ramp);
    const plan = await planOf(reading, tx, { ramp, run, flag });
    const cut = Math.max(now.getTime() + 1, run.cut_at.getTime());
    await advance(tx, reading, { ramp, run, flag, comparison, plan, reader: createReader(plan), cut });
  };
  await inTransaction(db, work, { isolationLevel: "repeatable read" });
}
