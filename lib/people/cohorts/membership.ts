import { compileFlags } from "#lib/engines/evaluation/compile.ts";
import { evaluateFlag } from "#lib/engines/evaluation/evaluate.ts";
import type { CohortDefinition, Properties, Property } from "#lib/engines/evaluation/values/types.ts";
import { type Behavior, parseBehavior, withLists } from "./behavior.ts";

/** A stored cohort as far as membership is concerned. */
type Stored = { id: number; is_static: boolean; filters: Readonly<Record<string, unknown>> };

/** Somebody who may be a member. */
type Candidate = {
  distinct_id: string;
  properties: Properties;
  /** Ids of the static cohorts they are in, and of the behaviors that they showed. */
  static_cohorts: ReadonlySet<number>;
};

/** The question who belongs to some cohorts, prepared. */
export type Membership = {
  /** Names of the person properties that are looked at. */
  properties: readonly string[];
  /** Static cohorts whose members must be known. */
  static_cohort_ids: readonly number[];
  /** Behaviors of which it must be known who showed them; their ids are below zero. */
  behaviors: ReadonlyMap<number, Behavior>;
  /** Ids of the cohorts, of those asked for, that somebody belongs to. */
  of: (candidate: Candidate) => number[];
};

const PROBE = "member";

/** Stored cohorts in the engine's words; behaviors become lists, numbered downwards from -1. */
function definitionsOf(all: Iterable<Stored>) {
  const lists = new Map<number, Behavior | null>();
  const cohorts: CohortDefinition[] = [...all].map(({ id, is_static, filters }) => ({
    id,
    is_static,
    properties: withLists(filters.properties ?? null, (row) => {
      const list = -1 - lists.size;
      lists.set(list, parseBehavior(row));
      return list;
    }) as CohortDefinition["properties"] & object,
  }));
  for (const id of lists.keys()) cohorts.push({ id, is_static: true, properties: {} });
  return { cohorts, lists };
}

/** A flag that is on for those who fulfil rows: how the engine evaluates them. */
const probeOf = (properties: readonly Property[], key = PROBE) => ({
  key,
  active: true,
  filters: { groups: [{ properties }] },
});

/**
 * Prepares the question who belongs to some cohorts: the engine answers it as it does for flags that are on for exactly
 * these cohorts.
 *
 * @param all every live cohort of the project, for those that the filters refer to
 * @param now the present, milliseconds since 1970: relative dates count back from it
 */
export function membershipOf(ids: readonly number[], all: Iterable<Stored>, now: number): Membership {
  const { cohorts, lists } = definitionsOf(all);
  const probes = ids.map((id) =>
    probeOf([{ key: "id", type: "cohort", value: id, operator: "in" }], String(id)),
  );
  const compiled = compileFlags({ flags: probes, cohorts });
  const needed = compiled.needs.static_cohort_ids;
  return {
    properties: compiled.needs.person_properties,
    static_cohort_ids: needed.filter((one) => !lists.has(one)),
    behaviors: new Map(
      needed.flatMap((one) => {
        const behavior = lists.get(one);
        return behavior ? [[one, behavior] as const] : [];
      }),
    ),
    of: ({ distinct_id, properties, static_cohorts }) => {
      const subject = { distinct_id, person_properties: properties, static_cohorts, now };
      return ids.filter((id) => evaluateFlag(compiled, String(id), subject)?.value === true);
    },
  };
}

/** Compiles whether an event's properties match the conditions of a behavior. */
export function eventTest(
  { rows }: Behavior,
  now: number,
): (properties: Readonly<Record<string, unknown>>) => boolean {
  if (rows.length === 0) return () => true;
  const compiled = compileFlags({
    flags: [probeOf(rows.map((row) => ({ ...row, type: "person" }) as unknown as Property))],
    cohorts: [],
  });
  return (properties) =>
    evaluateFlag(compiled, PROBE, {
      distinct_id: "",
      person_properties: properties as Properties,
      static_cohorts: new Set(),
      now,
    })?.value === true;
}
