import type { PlannedMetric } from "#lib/experiments/metric_kinds/kind.ts";
import { earliestOf, type Plan } from "#lib/experiments/results/plan/plan.ts";
import type { EventRow, EventScope } from "./events-store.ts";
import type { Reader, UnitEvent } from "./reader.ts";

/** Whether calls of any flag are counted by a metric. */
export const countsCalls = ({ sources }: Plan): boolean =>
  sources.some(({ event }) => event === null || event === "$feature_flag_called");

/** Which stored events a plan needs, up to a moment. */
export function buildScope(plan: Plan, reader: Reader, projectId: number, cut: number): EventScope {
  const { event, flag } = plan.exposure;
  return {
    project_id: projectId,
    names: reader.names,
    columns: reader.columns,
    carriers: reader.carriers,
    exposure: { event, flag },
    own_calls_only: !countsCalls(plan),
    group_type: plan.group_type,
    from: earliestOf(plan),
    to: cut,
  };
}

/** Properties that are JSON null read as absent ones. */
const eventOf = ({ unit, at, event, person = unit, props }: EventRow): UnitEvent => ({
  at: Math.round(at),
  event,
  person,
  values: props === null ? [] : (JSON.parse(props) as unknown[]).map((value) => value ?? undefined),
});

/** The part of a plan that some of its metrics need. */
export function pickMetrics(plan: Plan, chosen: readonly PlannedMetric[]): Plan {
  const used = [...new Set(chosen.flatMap((metric) => metric.sources))];
  const place = new Map(used.map((source, i) => [source, i]));
  return {
    ...plan,
    sources: used.flatMap((source) => plan.sources[source] ?? []),
    metrics: chosen.map((metric) => ({
      ...metric,
      sources: metric.sources.map((source) => place.get(source) ?? 0),
    })),
  };
}

/** Rows of one unit after the other, which come in that order, as one list a unit. */
export function createGrouper(take: (unit: string, events: UnitEvent[]) => void) {
  let unit: string | null = null;
  let events: UnitEvent[] = [];
  const flush = () => {
    if (unit !== null) take(unit, events);
  };
  return {
    push(rows: readonly EventRow[]): void {
      for (const row of rows) {
        if (row.unit !== unit) {
          flush();
          unit = row.unit;
          events = [];
        }
        events.push(eventOf(row));
      }
    },
    end: flush,
  };
}
