import type { CompiledFlags } from "#lib/engines/evaluation/compiled.ts";
import type { Subject } from "#lib/engines/evaluation/values/types.ts";
import {
  accumulateAll,
  startWhoChanges,
  summarise,
  type WhoChangesState,
} from "#lib/engines/evaluation/who-changes.ts";
import type { SavingContext } from "#lib/flags/context.ts";
import type { Flag } from "#lib/flags/feature_flags/cache.ts";
import type { Snapshot } from "#lib/flags/feature_flags/evaluation/definitions.ts";
import { selectHashKeys } from "#lib/people/persons/hash-keys-store.ts";
import { countPersons, scanGroups, scanPersons } from "#lib/people/persons/scan.ts";
import { createSlices } from "#lib/platform/http/body/slices.ts";
import { instant } from "#lib/platform/http/instant.ts";
import type { Progress } from "#lib/platform/progress.ts";
import { PART_MAX } from "./who-changes-contract.ts";

/** Each call evaluates this many persons, however many flags change. */
const PART_MIN = 4_000;

/** A flag in both states. */
export type Compared = {
  /** Its key after the change. */
  key: string;
  /** What it was called before; null: it is new. */
  stored: { key: string } | null;
  group_type_index: number | null;
  /** Whether it is decided by another unit after the change: everybody counts as having had no value then. */
  unit_changed: boolean;
};

/** Flags before and after a change, ready to be evaluated. */
export type Comparison = {
  snapshot: Pick<Snapshot, "group_types">;
  changes: readonly Compared[];
  before: CompiledFlags;
  after: CompiledFlags;
  /** Flags that depend on a changed one and are not changed themselves. */
  dependents: readonly Pick<Flag, "id" | "key">[];
};

/** A stored person as it is evaluated. */
export type Unit = { id: number; subject: Subject };

/** What evaluation of the flags and their dependents needs, before and after the save. */
function needsOf({ before, after, changes, dependents }: Comparison) {
  const keys = [
    ...changes.flatMap(({ key, stored }) => [key, stored?.key ?? key]),
    ...dependents.map((flag) => flag.key),
  ];
  const needs = [before, after].flatMap((flags) => keys.flatMap((key) => flags.by_key.get(key)?.needs ?? []));
  return {
    cohort_ids: [...new Set(needs.flatMap((each) => each.static_cohort_ids))],
    continuous: needs.some((each) => each.experience_continuity),
    properties: [...new Set(needs.flatMap((each) => each.person_properties))],
  };
}

export async function* groupsOf(context: SavingContext, set: Comparison, index: number) {
  const { db, project, now } = context;
  const type = set.snapshot.group_types.mapping[String(index)];
  if (type === undefined) return;
  for await (const some of scanGroups(db, project.id, index))
    yield some.map((group) => ({
      group,
      subject: {
        distinct_id: "",
        groups: { [type]: group.key },
        group_properties: { [type]: group.properties },
        now: now.getTime(),
      },
    }));
}

async function* personsOf(context: SavingContext, set: Comparison, after: number): AsyncGenerator<Unit[]> {
  const { db, project } = context;
  const now = context.now.getTime();
  const { continuous, ...wanted } = needsOf(set);
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

/** Which persons a call looks at: those after one of them, and all of these or one part. */
export type Part = { after: number | null | undefined; isWhole: boolean };

/**
 * Hands over persons until a call has looked at enough: the more flags, the fewer persons.
 *
 * @returns now and then null, where it can be stopped; at the end, the number after which the next call continues
 */
export async function* visitPersons(
  context: SavingContext,
  set: Comparison,
  { after, isWhole }: Part,
  visit: (unit: Unit) => void,
): AsyncGenerator<number | null> {
  const part = isWhole
    ? Number.POSITIVE_INFINITY
    : Math.max(PART_MIN, Math.floor(PART_MAX / set.changes.length));
  const pause = createSlices();
  let seen = 0;
  for await (const units of personsOf(context, set, after ?? 0)) {
    for (const unit of units) {
      visit(unit);
      const others = pause();
      if (!others) continue;
      await others;
      yield null;
    }
    seen += units.length;
    const last = units.at(-1);
    const next = last && seen >= part ? last.id : null;
    yield next;
    if (next !== null) return;
  }
}

const countsOf = (state: WhoChangesState) => {
  const { total, changed, cells } = summarise(state);
  return { total, changed, cells: cells.map((cell) => ({ ...cell })) };
};

/** What is counted of a set of changes. */
export type Counted = ReturnType<Counting["answer"]>;
type Counting = ReturnType<typeof createCounting>;

/** Counts of a set of changes, to be filled by persons and groups. */
function createCounting(context: SavingContext, { changes, before, after, dependents }: Comparison) {
  const states = changes.map(({ key, stored, unit_changed }) =>
    startWhoChanges(unit_changed ? null : before, after, key, stored?.key),
  );
  const statesOf = (index: number | null) =>
    states.filter((_, place) => changes[place]?.group_type_index === index);
  const indexes = new Set(changes.map((change) => change.group_type_index));
  const people = { total: 0, changed: 0 };
  // Dependents are decided per person: beside groups there is nobody to count them on.
  const others = (indexes.has(null) ? dependents : []).map((flag) => ({
    flag,
    state: startWhoChanges(before, after, flag.key),
  }));
  const mine = statesOf(null);
  const theirs = others.map(({ state }) => state);
  return {
    indexes,
    people,
    addGroup: (index: number, subject: Subject): void => void accumulateAll(statesOf(index), subject),
    addPerson({ subject }: Unit): void {
      people.total += 1;
      if (accumulateAll(mine, subject)) people.changed += 1;
      accumulateAll(theirs, subject);
    },
    answer: (next: number | null) => ({
      people: { ...people },
      next,
      counts: states.map(countsOf),
      dependents: others.map(({ flag, state }) => ({ id: flag.id, key: flag.key, ...countsOf(state) })),
      as_of: instant(context.now),
    }),
  };
}

/** Counts persons and, with the first part of them, all groups. */
export async function* count(
  context: SavingContext,
  set: Comparison,
  part: Part,
): AsyncGenerator<Progress<Counted>> {
  const counting = createCounting(context, set);
  const { indexes, people } = counting;
  yield { seen: 0, of: null, answer: () => counting.answer(null) };
  for (const index of part.after ? [] : indexes)
    if (index !== null)
      for await (const units of groupsOf(context, set, index))
        for (const { subject } of units) counting.addGroup(index, subject);
  if (!indexes.has(null)) return;
  const of = part.isWhole ? await countPersons(context.db, context.project.id) : null;
  for await (const next of visitPersons(context, set, part, counting.addPerson))
    yield { seen: people.total, of, answer: () => counting.answer(next) };
}
