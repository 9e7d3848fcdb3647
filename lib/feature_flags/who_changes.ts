import type { CompiledFlags } from "#lib/evaluation/compiled.ts";
import { evaluateFlag } from "#lib/evaluation/evaluate.ts";
import type { Subject } from "#lib/evaluation/types.ts";
import {
  accumulate,
  type FlagValue,
  startWhoChanges,
  summarise,
  type WhoChangesState,
} from "#lib/evaluation/who_changes.ts";
import type { MemberContext } from "#lib/http/context.ts";
import type { Input } from "#lib/http/contract.ts";
import { invalid } from "#lib/http/errors.ts";
import { instant } from "#lib/http/instant.ts";
import { neighbours } from "#lib/http/paging.ts";
import { scanGroups, scanPersons } from "#lib/persons/scan.ts";
import { recordsByIds } from "#lib/persons/service.ts";
import type { Flag } from "./cache.ts";
import { selectHashKeys } from "./evaluation_store.ts";
import { dependenciesOf } from "./filters.ts";
import { compileProposed, proposalOf } from "./proposal.ts";
import type { whoChangesContract } from "./who_changes_contract.ts";

type Of<Name extends keyof typeof whoChangesContract> = Input<(typeof whoChangesContract)[Name]>;
type Proposed = Of<"who_changes">["body"];
type Json = Record<string, unknown>;

/** Further flags than these are not counted: a flag that so many depend on is looked at by itself. */
const DEPENDENTS_MAX = 20;
/** How many persons one call looks at; of more it says where the next call goes on. */
const SCAN_MAX = 100_000;

const indexOf = (filters: Json): number | null => {
  const index = filters.aggregation_group_type_index;
  return typeof index === "number" ? index : null;
};

/** The flags before and after a save, ready to be evaluated. */
type Change = {
  key: string;
  stored: Flag | null;
  before: CompiledFlags;
  after: CompiledFlags;
  /** Live flags that look at this one, directly or through others. */
  dependents: Flag[];
  group_type_index: number | null;
  group_type: string | null;
  unit_changed: boolean;
};

/** The flags of which one condition looks at `id`, and those that look at them in turn. */
function dependentsOf(flags: readonly Flag[], id: number): Flag[] {
  const found = new Map<number, Flag>();
  const walk = (wanted: number) => {
    for (const flag of flags) {
      if (flag.id === id || found.has(flag.id) || !dependenciesOf(flag.filters).includes(wanted)) continue;
      found.set(flag.id, flag);
      walk(flag.id);
    }
  };
  walk(id);
  return [...found.values()].slice(0, DEPENDENTS_MAX);
}

/** A proposed save, compiled beside what is stored. */
export async function changeOf(context: MemberContext, body: Proposed): Promise<Change> {
  const snapshot = await context.runtime.definitions.project(context.project.id);
  const proposal = await proposalOf(context, snapshot, body);
  const { stored, key, definition } = proposal;
  const index = indexOf(definition?.filters ?? stored?.filters ?? {});
  return {
    key,
    stored,
    before: snapshot.compiled,
    after: compileProposed(snapshot, [proposal]),
    dependents: stored ? dependentsOf(snapshot.flags.live, stored.id) : [],
    group_type_index: index,
    group_type: index === null ? null : (snapshot.group_types.mapping[String(index)] ?? null),
    unit_changed: stored !== null && !stored.deleted && indexOf(stored.filters) !== index,
  };
}

/** A stored person or group as it is evaluated; `id` is the person's. */
type Unit = { id: number | null; subject: Subject };

/** What has to be known of a person for the flag and those that look at it, before the save and after it. */
function needsOf({ before, after, key, stored, dependents }: Change) {
  const needs = [before, after].flatMap((flags) =>
    [key, stored?.key ?? key, ...dependents.map((flag) => flag.key)].flatMap(
      (each) => flags.by_key.get(each)?.needs ?? [],
    ),
  );
  return {
    cohort_ids: [...new Set(needs.flatMap((each) => each.static_cohort_ids))],
    continuous: needs.some((each) => each.experience_continuity),
    properties: needs.some((each) => each.person_properties.length > 0),
  };
}

async function* unitsOf(context: MemberContext, change: Change, after: number): AsyncGenerator<Unit[]> {
  const { db, project } = context;
  const now = context.now.getTime();
  if (change.group_type_index !== null) {
    const type = change.group_type;
    if (type === null) return;
    for await (const some of scanGroups(db, project.id, change.group_type_index))
      yield some.map(({ key, properties }) => ({
        id: null,
        subject: { distinct_id: "", groups: { [type]: key }, group_properties: { [type]: properties }, now },
      }));
    return;
  }
  const { continuous, ...wanted } = needsOf(change);
  for await (const people of scanPersons(db, project.id, { ...wanted, after })) {
    const ids = people.map((person) => person.id);
    const rows = continuous ? await selectHashKeys(db, project.id, ids) : [];
    const hashKeys = Map.groupBy(rows, (row) => row.person_id);
    yield people.map(({ id, distinct_id, properties, static_cohorts }) => {
      const overrides = hashKeys.get(id)?.map((row) => [row.flag_key, row.hash_key]);
      const hash_key_overrides = overrides ? Object.fromEntries(overrides) : null;
      return {
        id,
        subject: { distinct_id, person_properties: properties, static_cohorts, hash_key_overrides, now },
      };
    });
  }
}

/**
 * Hands over persons (or groups) until a call has looked at enough.
 *
 * @returns the number after which the next call goes on; null when nobody is left
 */
async function lookAt(
  context: MemberContext,
  change: Change,
  after: number | null | undefined,
  visit: (unit: Unit) => void,
): Promise<number | null> {
  let seen = 0;
  for await (const units of unitsOf(context, change, after ?? 0)) {
    for (const unit of units) visit(unit);
    seen += units.length;
    const last = units.at(-1)?.id ?? null;
    if (last !== null && seen >= SCAN_MAX) return last;
  }
  return null;
}

const countsOf = (state: WhoChangesState) => {
  const { total, changed, cells } = summarise(state);
  return { total, changed, cells: cells.map((cell) => ({ ...cell })) };
};

export async function who_changes(context: MemberContext, { body }: Of<"who_changes">) {
  const change = await changeOf(context, body);
  const comparable = change.unit_changed ? null : change.before;
  const own = startWhoChanges(comparable, change.after, change.key, change.stored?.key);
  // Dependents are decided per person: beside groups there is nobody to count them on.
  const dependents = (change.group_type_index === null ? change.dependents : []).map((flag) => ({
    flag,
    state: startWhoChanges(change.before, change.after, flag.key),
  }));
  const next = await lookAt(context, change, body.after_person, ({ subject }) => {
    accumulate(own, subject);
    for (const { state } of dependents) accumulate(state, subject);
  });
  return {
    ...countsOf(own),
    next,
    group_type_index: change.group_type_index,
    unit_changed: change.unit_changed,
    dependents: dependents.map(({ flag, state }) => ({ id: flag.id, key: flag.key, ...countsOf(state) })),
    as_of: instant(context.now),
  };
}

export async function who_changes_people(context: MemberContext, { body, query }: Of<"who_changes_people">) {
  const change = await changeOf(context, body);
  if (change.group_type_index !== null)
    throw invalid("This flag is decided per group: there are no people to list.", "filters");
  const valueIn = (flags: CompiledFlags | null, key: string, subject: Subject): FlagValue =>
    (flags && evaluateFlag(flags, key, subject)?.value) ?? null;
  const keyBefore = change.stored?.key ?? change.key;
  const ids: number[] = [];
  let count = 0;
  const next = await lookAt(context, change, body.after_person, ({ id, subject }) => {
    const before = valueIn(change.unit_changed ? null : change.before, keyBefore, subject);
    if (id === null || before !== body.before || valueIn(change.after, change.key, subject) !== body.after)
      return;
    if (count >= query.offset && ids.length < query.limit) ids.push(id);
    count += 1;
  });
  return {
    count,
    ...neighbours(context.url, query, count),
    next_person: next,
    results: await recordsByIds(context, ids),
  };
}
