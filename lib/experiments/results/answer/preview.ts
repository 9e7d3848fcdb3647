import { Unsupported } from "#lib/engines/evaluation/event-filters.ts";
import { computeMoments } from "#lib/engines/statistics/moments.ts";
import { SAMPLE_TYPES } from "#lib/engines/statistics/types.ts";
import { readSubject } from "#lib/experiments/experiments/lifecycle/phases.ts";
import { DAY_MS } from "#lib/experiments/metric_kinds/calendar.ts";
import type { PlannedMetric } from "#lib/experiments/metric_kinds/kind.ts";
import { METRIC_KINDS, readMetric } from "#lib/experiments/metric_kinds/metric-kinds.ts";
import type { experimentResultContract } from "#lib/experiments/results/contract.ts";
import { scan } from "#lib/experiments/results/days/scan.ts";
import { selectEventCount, selectGroupTypes } from "#lib/experiments/results/events/events-store.ts";
import { createReader } from "#lib/experiments/results/events/reader.ts";
import { addMetric, type Plan } from "#lib/experiments/results/plan/plan.ts";
import type { MetricPreview } from "#lib/experiments/results/result-schema.ts";
import type { PreviewBody } from "#lib/experiments/results/schema.ts";
import { addUpSums, type Totals, type VariantSums } from "#lib/experiments/results/units/sums.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import { inTransaction } from "#lib/platform/db/connect.ts";

import type { Input } from "#lib/platform/http/contract.ts";

type Of<Name extends keyof typeof experimentResultContract> = Input<(typeof experimentResultContract)[Name]>;

/** Above so many events, only a sample of the units is read: a preview must be quick enough for typing. */
const EVENTS_READ = 300_000;
const DEFAULT_EVENT = "$pageview";
const EVERYBODY = "everybody";

/** A plan in which everybody who did something counts from the first time on. */
async function planOf(context: MemberContext, body: PreviewBody): Promise<Plan> {
  const now = context.now.getTime();
  const { live } = await context.runtime.flags.project(context.project.id);
  const flag = live.find(({ key }) => key === body.feature_flag_key);
  const subject = readSubject(flag?.key ?? "", flag?.filters ?? {});
  const variants = subject.variants.map(({ key }) => key);
  const counts = !body.exposure_event && variants.length > 0;
  const types = await selectGroupTypes(context.db, context.project.id);
  const asked = body.aggregation_group_type_index;
  const index = asked === undefined ? subject.aggregation_group_type_index : asked;
  return {
    exposure: {
      event: counts ? "$feature_flag_called" : (body.exposure_event ?? DEFAULT_EVENT),
      flag: counts ? (flag?.key ?? null) : null,
      property: counts ? "$feature_flag_response" : null,
      filtered: [],
      matches: () => true,
    },
    variants: counts ? variants : [EVERYBODY],
    handling: "first_seen",
    group_type: index === null ? null : (types.get(index) ?? null),
    start: now - body.days * DAY_MS,
    end: null,
    timezone: context.project.timezone,
    sources: [],
    metrics: [],
  };
}

const nothing = (days: number, problem: string): MetricPreview => ({
  days,
  units: 0,
  events: 0,
  mean: null,
  variance: null,
  standard_deviation: null,
  exposed: 0,
  uncapped_share: null,
  conversion: null,
  steps: [],
  daily_units: 0,
  baseline: {},
  problem,
  one_in: 1,
});

/** Which part of a sum comes from values within the bounds of outliers; null of nothing. */
function uncappedShare({ winsor }: PlannedMetric, totals: readonly Totals[], sum: number): number | null {
  if (!winsor) return 1;
  const uncapped = totals.reduce((all, row) => all + (row.uncapped ?? 0), 0);
  return sum > 0 ? uncapped / sum : null;
}

type Scanned = { exposed: number; totals: Totals[]; one_in: number };

function answerOf(
  body: PreviewBody,
  metric: PlannedMetric,
  sums: VariantSums,
  scanned: Scanned,
): MetricPreview {
  const { exposed, totals, one_in } = scanned;
  const { statistics } = METRIC_KINDS[metric.type];
  const { number_of_samples: n, sum } = sums;
  const known = n > 0 && sums.denominator_sum !== 0;
  const moments = known ? computeMoments(statistics, { n, ...sums }) : null;
  return {
    days: body.days,
    units: n * one_in,
    events: sum * one_in,
    mean: moments?.mean ?? null,
    variance: moments?.variance ?? null,
    standard_deviation: moments && moments.variance >= 0 ? Math.sqrt(moments.variance) : null,
    exposed: exposed * one_in,
    uncapped_share: uncappedShare(metric, totals, sum),
    conversion: SAMPLE_TYPES[statistics].isShare && n > 0 ? sum / n : null,
    steps: (sums.step_counts ?? []).map((count) => count * one_in),
    daily_units: (exposed * one_in) / body.days,
    baseline: sums,
    problem: null,
    one_in,
  };
}

/** What a metric would have been over the past days. */
export async function preview_metric(
  context: MemberContext,
  { body }: Of<"preview_metric">,
): Promise<MetricPreview> {
  const plan = await planOf(context, body);
  const { metric, problem } = readMetric({ kind: "ExperimentMetric", ...body.metric });
  if (!metric) return nothing(body.days, problem ?? "The metric cannot be read.");
  const group_types = await selectGroupTypes(context.db, context.project.id);
  try {
    addMetric(plan, { ...metric }, { stats_config: body.stats_config ?? null, group_types });
  } catch (error) {
    if (error instanceof Unsupported) return nothing(body.days, error.message);
    throw error;
  }
  const { names } = createReader(plan);
  const events = await selectEventCount(context.db, context.project.id, names);
  const one_in = Math.max(1, Math.round(events / EVENTS_READ));
  const cut = context.now.getTime() + 1;
  const { byDay } = await inTransaction(
    context.db,
    (tx) => scan(tx, context.project.id, plan, cut, { sampling: { one_in } }),
    { isolationLevel: "repeatable read", accessMode: "read only" },
  );
  const last = byDay.at(-1);
  const totals = (last?.totals[0] ?? []).map((row) => ({ ...row, variant: EVERYBODY }));
  const units = [...(last?.units.values() ?? [])].reduce((a, b) => a + b, 0);
  const planned = plan.metrics[0];
  if (!planned) return nothing(body.days, "The metric cannot be read.");
  const sums = addUpSums(planned, EVERYBODY, units, totals);
  return answerOf(body, planned, sums, { exposed: units, totals, one_in });
}
