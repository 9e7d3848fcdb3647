import type { Hit, UnitHistory } from "#lib/experiments/metric_kinds/kind.ts";
import type { Plan } from "#lib/experiments/results/plan/plan.ts";
import { numberOf, type Source } from "#lib/experiments/results/plan/sources.ts";

/** A stored event as far as a plan is concerned. */
export type UnitEvent = {
  /** Milliseconds since 1970. */
  at: number;
  event: string;
  /** The person behind it; null where it is not needed. */
  person: string | null;
  /** Values of the reader's columns, in order; undefined where the event has no such property. */
  values: readonly unknown[];
};

/** Turns stored events into histories. */
export type Reader = {
  /** Names of events to read; null: all. */
  names: string[] | null;
  /** Properties to read. */
  columns: string[];
  /** Names of events whose properties are needed; null: all. */
  carriers: string[] | null;
  /** @param events of one unit, by time and then by uuid */
  read(events: readonly UnitEvent[]): UnitHistory;
};

type ColumnOf = (property: string) => number;

const textOf = (value: unknown): string | null =>
  typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : null;

function groupKey(groups: unknown, type: string): string | null {
  if (typeof groups !== "object" || groups === null) return null;
  return Object.hasOwn(groups, type) ? textOf((groups as Record<string, unknown>)[type]) : null;
}

/** How a hit of a source is made of an event. */
function hitMaker(source: Source, column: ColumnOf): (event: UnitEvent, position: number) => Hit {
  const of = (event: UnitEvent, position: number, value: number | null, key: string | null): Hit => ({
    at: event.at,
    position,
    value,
    key,
  });
  const { math, property, group_type } = source;
  if (math === "dau") return (event, position) => of(event, position, null, event.person);
  if (group_type !== null) {
    const groups = column("$groups");
    return (event, position) => of(event, position, null, groupKey(event.values[groups], group_type));
  }
  if (property === null) return (event, position) => of(event, position, null, null);
  const index = column(property);
  if (math === "unique_session")
    return (event, position) => of(event, position, null, textOf(event.values[index]));
  return (event, position) => of(event, position, numberOf(event.values[index]), null);
}

type Rule = (event: UnitEvent, position: number, into: UnitHistory) => void;

function exposureRule(plan: Plan, column: ColumnOf): Rule {
  const { filtered, matches, flag, property } = plan.exposure;
  const filterColumns = filtered.map(column);
  const flagColumn = flag === null ? -1 : column("$feature_flag");
  const variantColumn = property === null ? -1 : column(property);
  const known = new Set(plan.variants);
  const only = plan.variants[0] ?? "";
  return (event, _position, into) => {
    if (event.at < plan.start || (plan.end !== null && event.at > plan.end)) return;
    if (flag !== null && event.values[flagColumn] !== flag) return;
    const variant = property === null ? only : event.values[variantColumn];
    if (typeof variant !== "string" || !known.has(variant)) return;
    const values = filterColumns.map((index) => event.values[index]);
    if (matches(values, event.at)) into.exposures.push({ at: event.at, variant });
  };
}

function sourceRule(source: Source, index: number, column: ColumnOf): Rule {
  const filterColumns = source.filtered.map(column);
  const make = hitMaker(source, column);
  return (event, position, into) => {
    const values = filterColumns.map((at) => event.values[at]);
    if (source.matches(values, event.at)) into.hits[index]?.push(make(event, position));
  };
}

const asksProperties = ({ filtered, property, group_type }: Source): boolean =>
  filtered.length > 0 || property !== null || group_type !== null;

/** A reader for a plan's exposures and sources. */
export function createReader(plan: Plan): Reader {
  const columns: string[] = [];
  const column: ColumnOf = (property) => {
    const found = columns.indexOf(property);
    return found >= 0 ? found : columns.push(property) - 1;
  };
  const byName = new Map<string, Rule[]>();
  const always: Rule[] = [];
  const carriers = new Set<string | null>();
  const add = (event: string | null, rule: Rule, asks: boolean) => {
    if (asks) carriers.add(event);
    if (event === null) always.push(rule);
    else byName.set(event, [...(byName.get(event) ?? []), rule]);
  };
  add(plan.exposure.event, exposureRule(plan, column), true);
  for (const [index, source] of plan.sources.entries())
    add(source.event, sourceRule(source, index, column), asksProperties(source));
  return {
    names: always.length > 0 ? null : [...byName.keys()],
    columns,
    carriers: carriers.has(null) ? null : [...carriers].filter((name) => name !== null),
    read(events) {
      const history: UnitHistory = { exposures: [], hits: plan.sources.map(() => []) };
      for (const [position, event] of events.entries()) {
        for (const rule of byName.get(event.event) ?? []) rule(event, position, history);
        for (const rule of always) rule(event, position, history);
      }
      return history;
    },
  };
}
