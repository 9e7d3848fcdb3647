import type { Db } from "#lib/db/connect.ts";
import type { MemberContext } from "#lib/http/context.ts";
import type { Input } from "#lib/http/contract.ts";
import { invalid, notFound } from "#lib/http/errors.ts";
import { instant } from "#lib/http/instant.ts";
import { neighbours } from "#lib/http/paging.ts";
import { namesByIds, recordsByIds } from "#lib/persons/service.ts";
import { MULTIPLE } from "#lib/statistics/sample_ratio.ts";
import type { experimentResultContract } from "./contract.ts";
import { figuresOf, preparedOf, startedExperiment } from "./current.ts";
import { type Place, placeAt } from "./layout.ts";
import { type FoundUnit, selectUnitPage, type UnitFilter } from "./people_store.ts";
import type { Prepared } from "./prepare.ts";
import type { ExperimentUnit } from "./result_schema.ts";
import type { UnitsQuery } from "./schema.ts";
import type { Figures, Slot } from "./series.ts";
import { boundsOf, spreadOf } from "./spread.ts";
import { counted } from "./timeline.ts";
import { decimal } from "./unit.ts";
import { selectSpread } from "./units_store.ts";

type Of<Name extends keyof typeof experimentResultContract> = Input<(typeof experimentResultContract)[Name]>;

function slotOf(figures: Figures, uuid: string | undefined): Slot | null {
  if (uuid === undefined) return null;
  const slot = figures.slots.find(({ metric }) => metric.uuid === uuid);
  if (!slot) throw invalid("The experiment has no such metric.", "metric_uuid", "does_not_exist");
  return slot;
}

const UNBOUNDED = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };

/** What the values of a metric are pulled in to before they are added up. */
async function boundsFor(db: Db, experimentId: number, figures: Figures, place: Place) {
  const { winsor } = place.metric;
  if (!winsor) return UNBOUNDED;
  const all = [...counted(figures.units).values()].reduce((a, b) => a + b, 0);
  return boundsOf(spreadOf(await selectSpread(db, experimentId, place, MULTIPLE)).value, all, winsor);
}

/** Where a metric's numbers stand among those of units. */
function placeOf({ plan }: Prepared, slot: Slot | null): Place | null {
  const metric = slot && plan.metrics[slot.planned];
  return metric && slot.series.place !== null ? placeAt(metric, slot.series.place) : null;
}

const SUMS = { converted: "value", step: "steps", sum: "sum", denominator: "denominator" } as const;

function filterOf(id: number, query: UnitsQuery, place: Place | null): UnitFilter {
  const base = { experiment_id: id, place, steps: query.step, bounds: UNBOUNDED };
  if (query.kind === "exposed") return { ...base, variant: query.variant ?? null, of: null };
  if (query.kind === "multiple") return { ...base, variant: MULTIPLE, of: null };
  if (!place) throw invalid("metric_uuid is required for this kind.", "metric_uuid", "required");
  return { ...base, variant: query.variant ?? null, of: SUMS[query.kind] };
}

/** The rows of units that are persons, in their order. */
async function withPersons(context: MemberContext, rows: FoundUnit[]) {
  const ids = rows.map(({ unit }) => Number(unit));
  const [names, records] = await Promise.all([namesByIds(context, ids), recordsByIds(context, ids)]);
  const byUuid = new Map(records.map((record) => [record.id, record]));
  return rows.map(({ unit }) => byUuid.get(names.get(Number(unit))?.id ?? "") ?? null);
}

/** The units behind a figure, by the rows that the figure is summed up from. */
export async function results_people(context: MemberContext, { params, query }: Of<"results_people">) {
  const experiment = await startedExperiment(context, params.id);
  const prepared = await preparedOf(context, experiment);
  const { plan } = prepared;
  if (query.variant !== undefined && query.variant !== MULTIPLE && !plan.variants.includes(query.variant))
    throw notFound();
  const figures = await figuresOf(context, prepared);
  const place = placeOf(prepared, slotOf(figures, query.metric_uuid));
  const filter = filterOf(experiment.id, query, place);
  if (place && filter.of === "sum")
    filter.bounds = await boundsFor(context.db, experiment.id, figures, place);
  const { rows, count, sum } = await selectUnitPage(context.db, filter, query);
  const persons = plan.group_type === null ? await withPersons(context, rows) : [];
  const results: ExperimentUnit[] = rows.map((row, i) => ({
    unit: row.unit,
    person: persons[i] ?? null,
    variant: row.variant,
    first_exposed_at: instant(new Date(Math.round(row.first_at))),
    value: filter.place === null ? null : (row.value ?? 0),
    before: filter.of === "sum" && row.value !== (row.raw ?? 0) ? (row.raw ?? 0) : null,
  }));
  return { count, ...neighbours(context.url, query, count), sum: sum && decimal(sum), results };
}
