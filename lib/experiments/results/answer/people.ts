import { MULTIPLE } from "#lib/engines/statistics/sample-ratio.ts";
import { decimal } from "#lib/experiments/metric_kinds/counting.ts";
import type { experimentResultContract } from "#lib/experiments/results/contract.ts";
import type { Figures, StoredMetric } from "#lib/experiments/results/days/series.ts";
import { countedUnits } from "#lib/experiments/results/days/timeline.ts";
import type { ExperimentUnit } from "#lib/experiments/results/result-schema.ts";
import type { UnitsQuery } from "#lib/experiments/results/schema.ts";
import { type Slot, slotAt } from "#lib/experiments/results/units/layout.ts";
import { computeBounds, toColumns } from "#lib/experiments/results/units/outliers.ts";
import { selectUnitValues } from "#lib/experiments/results/units/units-store.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import { readPersonNames, readPersonRecords } from "#lib/people/persons/service.ts";
import type { Db } from "#lib/platform/db/connect.ts";

import type { Input } from "#lib/platform/http/contract.ts";
import { invalid, notFound } from "#lib/platform/http/errors.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import { loadStartedExperiment, prepareExperiment, updateFigures } from "./current.ts";
import { type FoundUnit, selectUnitPage, type UnitFilter } from "./people-store.ts";

type Of<Name extends keyof typeof experimentResultContract> = Input<(typeof experimentResultContract)[Name]>;

function storedMetricFor(figures: Figures, uuid: string | undefined): StoredMetric | null {
  if (uuid === undefined) return null;
  const storedMetric = figures.storedMetrics.find((one) => one.uuid === uuid);
  if (!storedMetric) throw invalid("The experiment has no such metric.", "metric_uuid", "does_not_exist");
  return storedMetric;
}

const UNBOUNDED = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };

/** The bounds at which values of a metric are capped before they are added up. */
async function boundsFor(db: Db, experimentId: number, figures: Figures, slot: Slot) {
  const { winsor } = slot.metric;
  if (!winsor) return UNBOUNDED;
  const all = [...countedUnits(figures.units).values()].reduce((a, b) => a + b, 0);
  return computeBounds(
    toColumns(await selectUnitValues(db, experimentId, slot, MULTIPLE)).value,
    all,
    winsor,
  );
}

/** Where a metric's numbers are among those of units. */
function slotFor(metric: StoredMetric | null): Slot | null {
  return metric && metric.series.place !== null ? slotAt(metric.planned, metric.series.place) : null;
}

const SUMS = { converted: "value", step: "steps", sum: "sum", denominator: "denominator" } as const;

function filterOf(id: number, query: UnitsQuery, slot: Slot | null): UnitFilter {
  const base = { experiment_id: id, slot, steps: query.step, bounds: UNBOUNDED };
  if (query.kind === "exposed") return { ...base, variant: query.variant ?? null, of: null };
  if (query.kind === "multiple") return { ...base, variant: MULTIPLE, of: null };
  if (!slot) throw invalid("metric_uuid is required for this kind.", "metric_uuid", "required");
  return { ...base, variant: query.variant ?? null, of: SUMS[query.kind] };
}

/** The rows of units that are persons, in their order. */
async function withPersons(context: MemberContext, rows: FoundUnit[]) {
  const ids = rows.map(({ unit }) => Number(unit));
  const [names, records] = await Promise.all([
    readPersonNames(context, ids),
    readPersonRecords(context, ids),
  ]);
  const byUuid = new Map(records.map((record) => [record.id, record]));
  return rows.map(({ unit }) => byUuid.get(names.get(Number(unit))?.id ?? "") ?? null);
}

/** The units behind a figure, by the rows that the figure is summed up from. */
export async function results_people(context: MemberContext, { params, query }: Of<"results_people">) {
  const experiment = await loadStartedExperiment(context, params.id);
  const prepared = await prepareExperiment(context, experiment);
  const { plan } = prepared;
  if (query.variant !== undefined && query.variant !== MULTIPLE && !plan.variants.includes(query.variant))
    throw notFound();
  const figures = await updateFigures(context, prepared);
  const slot = slotFor(storedMetricFor(figures, query.metric_uuid));
  const filter = filterOf(experiment.id, query, slot);
  if (slot && filter.of === "sum") filter.bounds = await boundsFor(context.db, experiment.id, figures, slot);
  const { rows, count, sum } = await selectUnitPage(context.db, filter, query);
  const persons = plan.group_type === null ? await withPersons(context, rows) : [];
  const results: ExperimentUnit[] = rows.map((row, i) => ({
    unit: row.unit,
    person: persons[i] ?? null,
    variant: row.variant,
    first_exposed_at: instant(new Date(Math.round(row.first_at))),
    value: filter.slot === null ? null : (row.value ?? 0),
    before: filter.of === "sum" && row.value !== (row.raw ?? 0) ? (row.raw ?? 0) : null,
  }));
  return { count, ...neighbours(context.url, query, count), sum: sum && decimal(sum), results };
}
