import type { CompiledFlags } from "#lib/engines/evaluation/compiled.ts";
import { EvaluationContext, evaluateAll } from "#lib/engines/evaluation/evaluate.ts";
import { addNeeds, emptyNeeds, finishNeeds } from "#lib/engines/evaluation/needs.ts";
import type { Evaluation, Needs, Properties, Subject } from "#lib/engines/evaluation/values/types.ts";
import { DISTINCT_ID_LIMIT } from "#lib/people/events/event.ts";
import { storableText } from "#lib/people/events/text.ts";
import type { KnownPerson, PersonCache } from "#lib/people/persons/cache.ts";
import { insertHashKeys, insertPerson, selectHashKeys } from "#lib/people/persons/hash-keys-store.ts";
import type { Availability, Db } from "#lib/platform/db/connect.ts";
import { asDatabaseUnavailable, inTransaction } from "#lib/platform/db/connect.ts";
import { createSlices } from "#lib/platform/http/body/slices.ts";
import { counter } from "#lib/platform/metrics.ts";
import type { Definitions, Snapshot } from "./definitions.ts";
import { selectGroups, selectMemberships, selectPersons } from "./evaluation-store.ts";

/** The subject of the evaluation, as requested. What is stored of the person and the groups is added to it. */
export type EvaluationCall = {
  distinct_id: string;
  /** Group key by group type name. */
  groups?: Readonly<Record<string, string>>;
  /** Win over stored properties of the same name. */
  person_properties?: Properties;
  /** The same for groups, by the name of the group type. */
  group_properties?: Readonly<Record<string, Properties>>;
  /** The id the person had before signing up, which flags with experience continuity go on with. */
  anon_distinct_id?: string | null;
  /** Milliseconds since 1970 UTC. */
  now: number;
};

/** What a subject is looked up for: compiled flags, and the group types by name. */
type Compiled = Pick<Snapshot, "compiled" | "group_types">;

/** The flags to evaluate, and what has to be known for them; worth keeping as long as the compiled flags. */
export type Selection = {
  /** null: all. */
  keys: readonly string[] | null;
  needs: Needs;
  /** Group types whose stored properties are used by a condition. */
  group_properties: ReadonlySet<string>;
};

/** @param keys null: all flags; unknown keys are passed over */
export function selectionOf(compiled: CompiledFlags, keys: readonly string[] | null): Selection {
  const conditions = compiled.flags.flatMap((flag) => flag.conditions);
  const looksAt = conditions.flatMap((c) =>
    c.group_type !== null && c.rows.length > 0 ? [c.group_type] : [],
  );
  const group_properties = new Set(looksAt);
  if (keys === null) return { keys, needs: compiled.needs, group_properties };
  const needs = emptyNeeds();
  for (const key of keys) {
    const flag = compiled.by_key.get(key);
    if (flag) addNeeds(needs, flag.needs);
  }
  return { keys, needs: finishNeeds(needs), group_properties };
}

type HashKey = { person_id: number; flag_key: string; hash_key: string };

/** Whether an id can be stored, and so is worth looking for. */
const isStorable = (id: string) => id.length <= DISTINCT_ID_LIMIT && storableText(id) === id;

async function readPersons(db: Db, projectId: number, ids: string[]): Promise<Map<string, KnownPerson>> {
  const wanted = ids.filter(isStorable);
  const rows = wanted.length > 0 ? await selectPersons(db, projectId, wanted) : [];
  return new Map(rows.map((row) => [row.distinct_id, row]));
}

const idsOf = (persons: Map<string, KnownPerson>) => [...new Set([...persons.values()].map(({ id }) => id))];

async function readHashKeys(
  db: Db,
  projectId: number,
  persons: Map<string, KnownPerson>,
): Promise<HashKey[]> {
  return persons.size > 0 ? selectHashKeys(db, projectId, idsOf(persons)) : [];
}

/** Persons and flags that have no hash key yet. */
const withoutHashKey = (persons: Map<string, KnownPerson>, flagKeys: string[], rows: HashKey[]) =>
  idsOf(persons).flatMap((id) =>
    flagKeys
      .filter((key) => !rows.some((row) => row.person_id === id && row.flag_key === key))
      .map((key) => ({ person_id: id, feature_flag_key: key })),
  );

/**
 * Stores the anonymous id as hash key where there is none yet. Unknown ids get a person first, because the
 * event that creates one is often still on its way.
 */
async function keepHashKeys(
  db: Db,
  projectId: number,
  flagKeys: string[],
  anonymous: string,
  call: EvaluationCall,
) {
  const ids = [call.distinct_id, anonymous];
  return inTransaction(db, async (tx) => {
    let persons = await readPersons(tx, projectId, ids);
    if (persons.size === 0 && ids.every(isStorable)) {
      await insertPerson(tx, projectId, ids.toSorted(), new Date(call.now));
      persons = await readPersons(tx, projectId, ids);
    }
    const rows = await readHashKeys(tx, projectId, persons);
    // What one of two persons has already is what the other goes on with.
    const known = new Map(rows.map((row) => [row.flag_key, row.hash_key]));
    const missing = withoutHashKey(persons, flagKeys, rows).map((row) => ({
      ...row,
      project_id: projectId,
      hash_key: known.get(row.feature_flag_key) ?? anonymous,
    }));
    await insertHashKeys(tx, missing);
    return { persons, rows: await readHashKeys(tx, projectId, persons) };
  });
}

/** The person, and what the flags with experience continuity hash instead of the distinct id. */
async function hashKeysOf(
  { evaluationDb, db }: Stored,
  projectId: number,
  compiled: CompiledFlags,
  call: EvaluationCall,
) {
  const { anon_distinct_id: sent } = call;
  const anonymous = sent && sent !== call.distinct_id && isStorable(sent) ? sent : null;
  const flagKeys = compiled.flags.filter((f) => f.experience_continuity && !f.settled).map((f) => f.key);
  let persons = await readPersons(evaluationDb, projectId, [
    call.distinct_id,
    ...(anonymous ? [anonymous] : []),
  ]);
  let rows = await readHashKeys(evaluationDb, projectId, persons);
  if (anonymous && (persons.size === 0 || withoutHashKey(persons, flagKeys, rows).length > 0))
    ({ persons, rows } = await keepHashKeys(db, projectId, flagKeys, anonymous, call));
  const own = persons.get(call.distinct_id);
  const first = anonymous ? flagKeys.map((key) => [key, anonymous]) : [];
  // The person's own come last, so that they win over those of the anonymous one.
  const stored = rows
    .toSorted((a, b) => Number(a.person_id === own?.id) - Number(b.person_id === own?.id))
    .map((row) => [row.flag_key, row.hash_key]);
  return {
    person: own ?? (anonymous ? persons.get(anonymous) : undefined),
    hashKeys: Object.fromEntries([...first, ...stored]) as Record<string, string>,
  };
}

async function storedGroups(
  db: Db,
  projectId: number,
  snapshot: Compiled,
  selection: Selection,
  call: EvaluationCall,
) {
  const wanted = selection.needs.group_types.flatMap((type) => {
    const key = call.groups && Object.hasOwn(call.groups, type) ? call.groups[type] : undefined;
    const index = snapshot.group_types.indexes.get(type);
    return key !== undefined && isStorable(key) && index !== undefined && selection.group_properties.has(type)
      ? [{ index, key }]
      : [];
  });
  if (wanted.length === 0) return call.group_properties ?? null;
  const rows = await selectGroups(db, projectId, wanted);
  const given = new Map(Object.entries(call.group_properties ?? {}));
  for (const { index, properties } of rows) {
    const type = snapshot.group_types.mapping[String(index)];
    if (type !== undefined) given.set(type, { ...properties, ...given.get(type) });
  }
  return Object.fromEntries(given);
}

const lacks = (needed: readonly string[], given: Properties | undefined) =>
  needed.some((name) => name !== "distinct_id" && !(given && Object.hasOwn(given, name)));

/** Where people and groups are read, and `db` for storing the hash keys of experience continuity. */
type Stored = { evaluationDb: Db; persons: Pick<PersonCache, "find">; db: Db };

/** Everything known of the subject; reads only what a flag of the selection needs. */
export async function subjectOf(
  stored: Stored,
  projectId: number,
  snapshot: Compiled,
  selection: Selection,
  call: EvaluationCall,
): Promise<Subject> {
  const { evaluationDb, persons } = stored;
  const { needs } = selection;
  const given = call.person_properties;
  let person: KnownPerson | undefined;
  let hashKeys: Record<string, string> | null = null;
  if (needs.experience_continuity)
    ({ person, hashKeys } = await hashKeysOf(stored, projectId, snapshot.compiled, call));
  else if (needs.static_cohort_ids.length > 0 || lacks(needs.person_properties, given))
    person = (isStorable(call.distinct_id) && (await persons.find(projectId, call.distinct_id))) || undefined;
  const isMember = person && needs.static_cohort_ids.length > 0;
  return {
    distinct_id: call.distinct_id,
    person_properties: person ? { ...person.properties, ...given } : (given ?? null),
    groups: call.groups ?? null,
    group_properties:
      needs.group_types.length > 0
        ? await storedGroups(evaluationDb, projectId, snapshot, selection, call)
        : (call.group_properties ?? null),
    hash_key_overrides: hashKeys,
    static_cohorts:
      isMember && person
        ? await selectMemberships(evaluationDb, person.id, [...needs.static_cohort_ids])
        : null,
    now: call.now,
  };
}

/** Whether anything stored has to be read for this call. */
export const readsNothing = (selection: Selection, call: EvaluationCall): boolean =>
  !selection.needs.experience_continuity &&
  selection.needs.static_cohort_ids.length === 0 &&
  selection.needs.group_types.length === 0 &&
  !lacks(selection.needs.person_properties, call.person_properties);

/** Hashing or matching a text of more characters, once a flag, takes long. */
const LONG_TEXT = 4_096;

/** Lists and objects are matched as text, too. */
const isLong = (value: unknown) =>
  typeof value === "string" ? value.length > LONG_TEXT : typeof value === "object" && value !== null;

const hasLongText = ({ distinct_id, groups, person_properties, group_properties }: Subject): boolean =>
  isLong(distinct_id) ||
  Object.values(groups ?? {}).some(isLong) ||
  [person_properties, ...Object.values(group_properties ?? {})].some((properties) =>
    Object.values(properties ?? {}).some(isLong),
  );

/** As `evaluateAll`, in slices. */
async function evaluateInSlices(
  compiled: CompiledFlags,
  subject: Subject,
  keys: readonly string[] | null,
): Promise<Evaluation[]> {
  const context = new EvaluationContext(compiled, subject);
  const slices = createSlices();
  const flags = keys === null ? compiled.flags : keys.map((key) => compiled.by_key.get(key));
  const outcomes: Evaluation[] = [];
  for (const flag of flags) {
    if (flag) outcomes.push(context.dependency(flag.index));
    await slices();
  }
  return outcomes;
}

const evaluateSubject = (compiled: CompiledFlags, subject: Subject, keys: readonly string[] | null) =>
  hasLongText(subject)
    ? evaluateInSlices(compiled, subject, keys)
    : evaluateAll(compiled, subject, keys ?? undefined);

/** Evaluates a selection of a snapshot's flags; synchronous where nothing stored is needed and texts are short. */
function evaluateSelection(
  stored: Stored,
  projectId: number,
  snapshot: Snapshot,
  selection: Selection,
  call: EvaluationCall,
): Evaluation[] | Promise<Evaluation[]> {
  const { compiled } = snapshot;
  if (readsNothing(selection, call)) return evaluateSubject(compiled, call, selection.keys);
  return subjectOf(stored, projectId, snapshot, selection, call).then((subject) =>
    evaluateSubject(compiled, subject, selection.keys),
  );
}

/** Whether a flag could not be decided, because what it depends on is stored and the database is away. */
export const isUndecided = ({ reason }: Evaluation): boolean =>
  reason === "inconclusive" || reason === "requires_server";

const evaluations = counter(
  "flag_evaluations_total",
  "Requests for values of flags: answered from memory, with what is stored of the person, or from memory because the database is away.",
  ["answer"],
);
const answers = {
  memory: evaluations("memory"),
  stored: evaluations("stored"),
  stale: evaluations("stale"),
};

/**
 * As `evaluateSelection`; while the database is away, from what the call itself says. A flag that depends on anything
 * else is then undecided.
 */
export function evaluateOrLeaveUndecided(
  stored: Stored & { availability: Availability },
  projectId: number,
  snapshot: Snapshot,
  selection: Selection,
  call: EvaluationCall,
): Evaluation[] | Promise<Evaluation[]> {
  const evaluated = evaluateSelection(stored, projectId, snapshot, selection, call);
  const isRead = evaluated instanceof Promise;
  if (stored.availability.away_since !== null) answers.stale.count += 1;
  else if (isRead) answers.stored.count += 1;
  else answers.memory.count += 1;
  if (!isRead) return evaluated;
  return evaluated.catch((error: unknown) => {
    if (!asDatabaseUnavailable(error)) throw error;
    return evaluateSubject(snapshot.partial(), call, selection.keys);
  });
}

/**
 * Evaluates flags of a project for one person, with what is stored of the person and the groups.
 *
 * @param call.flag_keys only these; unknown ones are left out. All that are not deleted when absent, inactive
 *   and remote configuration flags included.
 * @returns what each flag gives, by its key, in the requested order, else newest first
 */
export async function evaluateFor(
  runtime: Stored & { definitions: Definitions },
  projectId: number,
  call: EvaluationCall & { flag_keys?: readonly string[] | null },
): Promise<Map<string, Evaluation>> {
  const { flag_keys, ...rest } = call;
  const snapshot = await runtime.definitions.project(projectId);
  const selection = selectionOf(snapshot.compiled, flag_keys ?? null);
  const evaluations = await evaluateSelection(runtime, projectId, snapshot, selection, rest);
  return new Map(evaluations.map((evaluation) => [evaluation.key, evaluation]));
}
