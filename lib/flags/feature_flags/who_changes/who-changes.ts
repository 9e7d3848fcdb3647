import type { CompiledFlags } from "#lib/engines/evaluation/compiled.ts";
import { evaluateFlag } from "#lib/engines/evaluation/evaluate.ts";
import { findPinProblem } from "#lib/engines/evaluation/pins.ts";
import type { Subject } from "#lib/engines/evaluation/values/types.ts";
import type { FlagValue } from "#lib/engines/evaluation/who-changes.ts";
import type { Json } from "#lib/engines/json.ts";
import type { MemberContext, SavingContext } from "#lib/flags/context.ts";
import type { Flag } from "#lib/flags/feature_flags/cache.ts";
import { findDependentsProblem, findExperimentsProblem } from "#lib/flags/feature_flags/deletion.ts";
import type { Snapshot } from "#lib/flags/feature_flags/evaluation/definitions.ts";
import {
  compileProposed,
  type Proposal,
  type ProposedFields,
  readProposal,
} from "#lib/flags/feature_flags/evaluation/proposal.ts";
import { dependenciesOf } from "#lib/flags/feature_flags/filters/filters.ts";
import { type FlagFilters, withGroups } from "#lib/people/conditions/filters-schema.ts";
import { reachesEveryone } from "#lib/people/conditions/words.ts";
import { readPersonRecords } from "#lib/people/persons/service.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { invalid } from "#lib/platform/http/errors.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import { asksForProgress } from "#lib/platform/http/progress-schema.ts";
import { answerWithProgress } from "#lib/platform/progress.ts";
import { inTurn } from "#lib/platform/turns.ts";
import { type FlagState, findConsequences } from "./consequences.ts";
import {
  type Compared,
  type Comparison,
  type Counted,
  count,
  groupsOf,
  type Unit,
  visitPersons,
} from "./counting.ts";
import { usersOf } from "./flag-users.ts";
import type { whoChangesContract } from "./who-changes-contract.ts";

type Of<Name extends keyof typeof whoChangesContract> = Input<(typeof whoChangesContract)[Name]>;

/** Further flags than these are not counted: a flag that so many depend on is looked at by itself. */
const DEPENDENTS_MAX = 20;

const indexOf = (filters: Json): number | null => {
  const index = filters.aggregation_group_type_index;
  return typeof index === "number" ? index : null;
};

/** One of the flags that would be saved. */
type Change = Proposal &
  Pick<Compared, "group_type_index" | "unit_changed"> & {
    /** Live flags that depend on this one, directly or through others. */
    dependents: Flag[];
  };

/** Some flags before and after they are saved together, ready to be evaluated. */
type ChangeSet = Omit<Comparison, "snapshot" | "changes"> & { snapshot: Snapshot; changes: Change[] };

/** The flags that depend on `id`, directly or indirectly. */
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
  return [...found.values()];
}

async function changeSetOf(context: SavingContext, bodies: readonly ProposedFields[]): Promise<ChangeSet> {
  const snapshot = await context.runtime.definitions.project(context.project.id);
  return compiled(snapshot, await changesOf(context, snapshot, bodies));
}

async function changesOf(context: SavingContext, snapshot: Snapshot, bodies: readonly ProposedFields[]) {
  const changes: Change[] = [];
  for (const body of bodies) {
    const proposal = await readProposal(context, snapshot, body);
    const { stored, definition } = proposal;
    const index = indexOf(definition?.filters ?? stored?.filters ?? {});
    changes.push({
      ...proposal,
      group_type_index: index,
      unit_changed: stored !== null && !stored.deleted && indexOf(stored.filters) !== index,
      dependents: stored ? dependentsOf(snapshot.flags.live, stored.id) : [],
    });
  }
  return changes;
}

function compiled(snapshot: Snapshot, changes: Change[]): ChangeSet {
  const changed = new Set(changes.map(({ stored }) => stored?.id));
  const dependents = new Map(
    changes.flatMap((change) => change.dependents.map((flag) => [flag.id, flag] as const)),
  );
  return {
    snapshot,
    changes,
    before: snapshot.compiled,
    after: compileProposed(snapshot, changes),
    dependents: [...dependents.values()].filter(({ id }) => !changed.has(id)).slice(0, DEPENDENTS_MAX),
  };
}

/** A proposed save of one flag, compiled. */
export async function changeOf(context: MemberContext, body: ProposedFields) {
  const { changes, after } = await changeSetOf(context, [body]);
  return { key: changes[0]?.key ?? "", after };
}

/** Counts as a caller wants it: one part of the persons, or all of them with the progress of it. */
async function counted<T>(
  context: MemberContext,
  set: ChangeSet,
  after: number | null | undefined,
  answerOf: (found: Counted) => T,
): Promise<T | Response> {
  const { headers, project, runtime } = context;
  const part = { after, isWhole: asksForProgress(headers) };
  return answerWithProgress(headers, runtime.counting(project.id), async function* () {
    for await (const { answer, ...progress } of count(context, set, part))
      yield { ...progress, answer: () => answerOf(answer()) };
  });
}

/**
 * How many people (or groups) a save would concern, counted on all of them, when the turn for that comes.
 *
 * @returns null in place of the flag's version for a flag that is not stored
 */
export async function measureImpact(context: SavingContext, body: ProposedFields, signal?: AbortSignal) {
  const set = await changeSetOf(context, [body]);
  const [change] = set.changes;
  return inTurn(context.runtime.counting(context.project.id), async () => {
    let last: Counted | undefined;
    for await (const { answer } of count(context, set, { after: null, isWhole: true })) {
      signal?.throwIfAborted();
      last = answer();
    }
    const [own] = last?.counts ?? [];
    if (!last || !change || !own) throw new Error("One change was sent and none was counted.");
    const { changed, total } = own;
    const impact = { changed, total, group_type_index: change.group_type_index, as_of: last.as_of };
    return { impact, version: change.stored?.version ?? null };
  });
}

/** What the deletion of a flag would be refused with, where others change with it. */
function refusalOf({ live }: Snapshot["flags"], change: Change, together: readonly Change[]): string | null {
  const { stored, definition } = change;
  if (definition !== null || stored === null || stored.deleted) return null;
  const gone = new Set(
    together.filter((each) => each.definition?.active !== true).map((each) => each.stored?.id),
  );
  return (
    findDependentsProblem(
      stored.id,
      live.filter((flag) => !gone.has(flag.id)),
    ) ?? findExperimentsProblem(stored.experiment_set)
  );
}

/** The changes that would be refused, with the reason: a flag that stays can stand in the way of others in turn. */
function refusalsOf({ snapshot, changes }: ChangeSet): Map<Change, string> {
  const refused = new Map<Change, string>();
  for (;;) {
    const possible = changes.filter((change) => !refused.has(change));
    const before = refused.size;
    for (const change of possible) {
      const refusal = refusalOf(snapshot.flags, change, possible);
      if (refusal) refused.set(change, refusal);
    }
    if (refused.size === before) return refused;
  }
}

const isForEveryone = (state: FlagState) =>
  state?.active === true && reachesEveryone(withGroups(state.filters) as FlagFilters);

/** How many people are pinned to a value of a flag that is on. */
const countPinned = ({ filters, pins }: NonNullable<Change["definition"]>, now: Date): number =>
  (pins ?? []).filter(
    ({ value, until }) =>
      findPinProblem(filters, value) === null && (until === null || Date.parse(until) > now.getTime()),
  ).length;

/** What is known of each change before counting. */
async function effectsOf(context: MemberContext, set: ChangeSet, refusals = refusalsOf(set)) {
  const users = await usersOf(context, set.changes);
  return set.changes.map((change, place) => {
    const { stored, definition, group_type_index, unit_changed } = change;
    const before: FlagState = stored && !stored.deleted ? stored : null;
    const after: FlagState = definition;
    return {
      group_type_index,
      unit_changed,
      consequences: findConsequences(before, after, users[place] ?? []),
      reaches_everyone: isForEveryone(after) && !isForEveryone(before),
      pinned: definition?.active ? countPinned(definition, context.now) : 0,
      refusal: refusals.get(change) ?? null,
    };
  });
}

export async function who_changes(context: MemberContext, { body }: Of<"who_changes">) {
  const { after_person, ...proposed } = body;
  const set = await changeSetOf(context, [proposed]);
  const [effects] = await effectsOf(context, set);
  return counted(context, set, after_person, ({ people: _, counts, ...found }) => {
    const [own] = counts;
    if (!effects || !own) throw new Error("One change was sent and none was counted.");
    return { ...effects, ...own, ...found };
  });
}

/**
 * Flags that depend on others first, so that each can be deleted when its turn comes. Whoever depends on a flag has
 * fewer dependents than it.
 */
const inOrder = (changes: readonly Change[]) =>
  changes.toSorted((a, b) => a.dependents.length - b.dependents.length);

const UNCOUNTED = { total: 0, changed: 0, cells: [] };

export async function bulk_who_changes(context: MemberContext, { body }: Of<"bulk_who_changes">) {
  const ids = body.changes.map(({ id }) => id);
  if (new Set(ids).size < ids.length) throw invalid("Each flag can be named once.", "changes");
  const changeSet = await changeSetOf(context, body.changes);
  const refusals = refusalsOf(changeSet);
  const set = compiled(
    changeSet.snapshot,
    inOrder(changeSet.changes.filter((change) => !refusals.has(change))),
  );
  const all = { ...changeSet, changes: [...set.changes, ...refusals.keys()] };
  const effects = await effectsOf(context, all, refusals);
  return counted(context, set, body.after_person, ({ counts, ...found }) => {
    const flags = all.changes.flatMap(({ stored }, place) => {
      const effect = effects[place];
      return stored && effect
        ? [{ id: stored.id, key: stored.key, ...(counts[place] ?? UNCOUNTED), ...effect }]
        : [];
    });
    return { ...found, flags };
  });
}

/** One proposed save, with the values that it is about and whether they are those of a subject. */
async function cellOf(context: MemberContext, body: ProposedFields, before: FlagValue, after: FlagValue) {
  const set = await changeSetOf(context, [body]);
  const [change] = set.changes;
  if (!change) throw new Error("One change was sent and none was compiled.");
  const { key, stored, unit_changed } = change;
  const valueIn = (flags: CompiledFlags | null, name: string, subject: Subject): FlagValue =>
    (flags && evaluateFlag(flags, name, subject)?.value) ?? null;
  const holds = (subject: Subject): boolean =>
    valueIn(unit_changed ? null : set.before, stored?.key ?? key, subject) === before &&
    valueIn(set.after, key, subject) === after;
  return { set, index: change.group_type_index, holds };
}

export async function who_changes_people(context: MemberContext, { body, query }: Of<"who_changes_people">) {
  const { after_person, before, after, ...proposed } = body;
  const cell = await cellOf(context, proposed, before, after);
  if (cell.index !== null)
    throw invalid("This flag is decided per group: there are no people to list.", "filters");
  return listPeople(context, cell, query, after_person);
}

type Listed = Of<"who_changes_people">["query"];
/** What is counted together, and who is looked for among them. */
export type Sought = { set: Comparison; holds: (subject: Subject) => boolean };

/** The people who are looked for, as pages of one part of all people. */
export async function listPeople(
  context: MemberContext,
  { set, holds }: Sought,
  query: Listed,
  after_person: number | null | undefined,
) {
  const ids: number[] = [];
  let count = 0;
  let next: number | null = null;
  const part = { after: after_person, isWhole: false };
  const visit = ({ id, subject }: Unit): void => {
    if (!holds(subject)) return;
    if (count >= query.offset && ids.length < query.limit) ids.push(id);
    count += 1;
  };
  await inTurn(context.runtime.counting(context.project.id), async () => {
    for await (const end of visitPersons(context, set, part, visit)) next = end;
  });
  return {
    count,
    ...neighbours(context.url, query, count),
    next_person: next,
    results: await readPersonRecords(context, ids),
  };
}

export async function who_changes_groups(context: MemberContext, { body, query }: Of<"who_changes_groups">) {
  const { before, after, ...proposed } = body;
  const cell = await cellOf(context, proposed, before, after);
  if (cell.index === null)
    throw invalid("This flag is decided per person: there are no groups to list.", "filters");
  return listGroups(context, cell, query, cell.index);
}

/** The groups of a type that are looked for. */
export async function listGroups(
  context: MemberContext,
  { set, holds }: Sought,
  query: Listed,
  index: number,
) {
  const results: { group_key: string; group_properties: Record<string, unknown> }[] = [];
  let count = 0;
  for await (const units of groupsOf(context, set, index))
    for (const { subject, group } of units) {
      if (!holds(subject)) continue;
      if (count >= query.offset && results.length < query.limit)
        results.push({ group_key: group.key, group_properties: group.properties });
      count += 1;
    }
  return { count, ...neighbours(context.url, query, count), results };
}
