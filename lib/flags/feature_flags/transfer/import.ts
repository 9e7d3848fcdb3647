import type { z } from "zod";
import { isObject, type Json } from "#lib/engines/json.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import { normalizePayloads, REDACTED, redactFilters } from "#lib/flags/feature_flags/filters/payloads.ts";
import { readFlag } from "#lib/flags/feature_flags/filters/stored.ts";
import {
  type Comparable,
  type Difference,
  listFlagDifferences,
} from "#lib/flags/feature_flags/history/differences.ts";
import { FLAG_FIELDS, flagCreate, isSurveyFlag } from "#lib/flags/feature_flags/schema.ts";
import { changeIn, createIn, FlagMoved } from "#lib/flags/feature_flags/service.ts";
import { type FlagWithLinks, selectFlags } from "#lib/flags/feature_flags/store.ts";
import { calculated } from "#lib/people/cohorts/service.ts";
import { withGroups } from "#lib/people/conditions/filters-schema.ts";
import { canonical } from "#lib/platform/canonical.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { initialValues, namesWith, pickFields } from "#lib/platform/fields-schema.ts";
import { requireScope } from "#lib/platform/http/auth.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { invalid } from "#lib/platform/http/errors.ts";
import { parse } from "#lib/platform/http/validation.ts";
import { type Cohorts, createCohorts, reasonOf } from "./import-cohorts.ts";
import { type FileNames, findReferences, mapReferences, type Resolver, Unresolved } from "./references.ts";
import type { ImportedCohort, ImportedFlag, transferContract } from "./transfer-contract.ts";

type Of<Name extends keyof typeof transferContract> = Input<(typeof transferContract)[Name]>;

const CARRIED = namesWith(FLAG_FIELDS, "restorable");
type Carried = (typeof CARRIED)[number];

/** A flag of a file. Fields that it does not have stay as they are, or as in a new flag. */
const carriedFlag = flagCreate.pick(
  Object.fromEntries(CARRIED.map((name) => [name, true])) as { [Name in Carried]: true },
);
type CarriedFlag = z.output<typeof carriedFlag>;

/** One flag of the file: what it would be here. */
export type Candidate = {
  key: string;
  flag: CarriedFlag | null;
  /** Why it cannot be imported. */
  reason: string | null;
  /**
   * Of a flag of which only some settings are carried over: its filters here, with these settings. Null where there is
   * no such flag yet. Absent: its filters are carried over as a whole.
   */
  complete?: (settings: Json, stored: Json | null) => Json;
};

const keyOf = ({ key }: Json) => (typeof key === "string" ? key.trim() : "");

/** Null where a file has no value: as if it had not named the field. */
const withoutNulls = (flag: Json) =>
  Object.fromEntries(Object.entries(flag).filter(([, value]) => value !== null));

function candidateOf(sent: Json, index: number, keys: readonly string[]): Candidate {
  const key = keyOf(sent);
  if (key !== "" && keys.indexOf(key) < index)
    return { key, flag: null, reason: "The file has this key twice." };
  try {
    return { key, flag: parse(carriedFlag, withoutNulls(sent)), reason: null };
  } catch (error) {
    return { key, flag: null, reason: reasonOf(error) };
  }
}

/** The flags of a file, those that others depend on first. */
function inOrder(candidates: readonly Candidate[], names: FileNames): Candidate[] {
  const byKey = new Map(candidates.filter(({ flag }) => flag).map((each) => [each.key, each]));
  const ordered = new Set<Candidate>();
  const seen = new Set<Candidate>();
  const visit = (candidate: Candidate): void => {
    if (seen.has(candidate)) return;
    seen.add(candidate);
    for (const id of findReferences(candidate.flag?.filters ?? {}).flags) {
      const needed = byKey.get(names.flags_by_id[id] ?? "");
      if (needed) visit(needed);
    }
    ordered.add(candidate);
  };
  for (const candidate of candidates) visit(candidate);
  return [...ordered];
}

/** Thrown to take back what a dry run has written. */
class TakenBack extends Error {
  readonly found: Found;
  constructor(found: Found) {
    super("A dry run is taken back.");
    this.found = found;
  }
}

type Found = { flags: ImportedFlag[]; cohorts: ImportedCohort[] };

/** A flag of the import and of what it goes into. */
type Importing = {
  context: MemberContext;
  names: FileNames;
  versions: Record<string, number | null>;
  /** Live flags by key, those included that are new. */
  flags: Map<string, FlagWithLinks>;
  created: Map<string, number>;
  cohorts: Cohorts;
  groupTypes: Map<string, number>;
  changedIds: number[];
};

/** Where flags come from, and how they are carried over. */
type Origin = Pick<
  Of<"import">["body"],
  "cohorts" | "flags_by_id" | "group_types" | "versions" | "cohort_definitions" | "create_cohorts" | "dry_run"
> & {
  /** Whether it is another project for certain: ids then say nothing about what is here. */
  isForeign?: boolean;
};

async function importingOf(tx: Db, context: MemberContext, origin: Origin): Promise<Importing> {
  const { runtime, project } = context;
  const { cohorts = {}, flags_by_id = {}, group_types = {}, versions = {}, cohort_definitions = {} } = origin;
  const types = (await runtime.definitions.project(project.id)).group_types.mapping;
  const flags = (await selectFlags(tx, project.id, null)).filter(({ deleted }) => !deleted);
  return {
    context,
    names: { cohorts, flags_by_id, group_types },
    versions,
    flags: new Map(flags.map((flag) => [flag.key, flag])),
    created: new Map(),
    cohorts: await createCohorts(
      tx,
      context,
      { names: cohorts, definitions: cohort_definitions, isForeign: origin.isForeign === true },
      origin.create_cohorts === true,
    ),
    groupTypes: new Map(Object.entries(types).map(([index, name]) => [name, Number(index)])),
    changedIds: [],
  };
}

const resolverOf = ({ flags, created, cohorts, groupTypes }: Importing): Resolver => ({
  cohort: cohorts.idOf,
  flag(key) {
    const id = created.get(key) ?? flags.get(key)?.id;
    if (id === undefined)
      throw new Unresolved(`It depends on the flag ${key}, which is neither here nor imported before it.`);
    return id;
  },
  groupType(name) {
    const index = groupTypes.get(name);
    if (index === undefined) throw new Unresolved(`There is no group type “${name}” here.`);
    return index;
  },
});

const CHANGED = "It was changed since the dry run. Run it again.";

/** @throws Unresolved for flags that other records own, and for those that changed since they were shown */
function checkOwner({ versions }: Importing, key: string, stored: FlagWithLinks | undefined): void {
  if (isSurveyFlag({ key }) || stored?.targets_survey) throw new Unresolved("It belongs to a survey.");
  const shown = Object.hasOwn(versions, key) ? versions[key] : undefined;
  if (shown !== undefined && shown !== (stored?.version ?? null)) throw new Unresolved(CHANGED);
}

const markersIn = (filters: Json): string[] =>
  isObject(filters.payloads)
    ? Object.entries(filters.payloads).flatMap(([name, payload]) => (payload === REDACTED ? [name] : []))
    : [];

/** @throws Unresolved where the file masks a payload that is not stored here */
function checkPayloads(filters: Json, stored: Json | null): void {
  const here = isObject(stored?.payloads) ? stored.payloads : {};
  if (markersIn(filters).some((name) => typeof here[name] !== "string"))
    throw new Unresolved(
      "Its payload is encrypted, so the file does not have it. Set it in the file, or leave it out.",
    );
}

const NEW: Comparable = {
  ...pickFields(FLAG_FIELDS, "restorable", {
    ...initialValues(FLAG_FIELDS),
    key: "",
    filters: { groups: [] },
  }),
} as Comparable;

const shownFilters = (filters: Json, encrypted: boolean | null | undefined) =>
  withGroups(encrypted ? redactFilters(filters) : filters) as NonNullable<Comparable["filters"]>;

type Planned = Pick<ImportedFlag, "state" | "id" | "version" | "differences" | "proposed"> & {
  /** Writes it; absent where there is nothing to write. */
  write?: (tx: Db) => Promise<void>;
};

const differencesOf = (importing: Importing, before: Comparable, after: Comparable): Difference[] =>
  listFlagDifferences(before, after, {
    cohorts: importing.cohorts.names,
    flags: new Map([
      ...[...importing.flags].map(([key, { id }]) => [String(id), key] as const),
      ...[...importing.created].map(([key, id]) => [String(id), key] as const),
    ]),
  });

/** What becomes of one flag. @throws Unresolved or ApiError for one that cannot be imported */
function plan(importing: Importing, flag: CarriedFlag, complete: Candidate["complete"]): Planned {
  const { context, flags, created } = importing;
  const held = flags.get(flag.key);
  checkOwner(importing, flag.key, held);
  const stored = held && readFlag(held, context.runtime.settings.encryption_key);
  if (complete && flag.filters && stored && stored.unreadable_fields.length > 0)
    throw new Unresolved("Its targeting here cannot be read, so it cannot be changed in part.");
  const settings = flag.filters && mapReferences(flag.filters, importing.names, resolverOf(importing));
  const mapped = settings && complete ? complete(settings, stored?.filters ?? null) : settings;
  if (mapped) checkPayloads(mapped, stored?.filters ?? null);
  const needed = findReferences(mapped ?? {});
  const isNew = (id: string) => importing.cohorts.made.some((cohort) => String(cohort.id) === id);
  const dependsOnNew =
    needed.flags.some((id) => [...created.values()].includes(Number(id))) || needed.cohorts.some(isNew);
  const body = { ...flag, ...(mapped && { filters: mapped }) };
  if (!stored) {
    const filters = mapped ?? { groups: [{ properties: [], rollout_percentage: null }] };
    const after = { ...NEW, ...body, filters: shownFilters(filters, flag.has_encrypted_payloads) };
    return {
      state: "new",
      id: null,
      version: null,
      differences: differencesOf(importing, NEW, after as Comparable),
      proposed: dependsOnNew ? null : { active: flag.active ?? true, filters: after.filters },
      async write(tx) {
        const { made, released } = await createIn(tx, context, {
          ...body,
          _should_create_usage_dashboard: false,
        });
        created.set(flag.key, made.id);
        importing.changedIds.push(made.id, ...released);
      },
    };
  }
  const before = pickFields(FLAG_FIELDS, "restorable", stored) as Json & { filters: Json };
  const next: Json = { ...body, ...(mapped && { filters: normalizePayloads(mapped, stored.filters) }) };
  const changes = Object.keys(next).filter((name) => canonical(next[name]) !== canonical(before[name]));
  const { id, version } = stored;
  if (changes.length === 0) return { state: "same", id, version, differences: [], proposed: null };
  const encrypted = stored.has_encrypted_payloads || flag.has_encrypted_payloads;
  const after = { ...before, ...next };
  return {
    state: "changed",
    id,
    version,
    differences: differencesOf(
      importing,
      { ...before, filters: shownFilters(before.filters, encrypted) },
      { ...after, filters: shownFilters(after.filters as Json, encrypted) },
    ),
    proposed: dependsOnNew
      ? null
      : { active: after.active === true, filters: shownFilters(after.filters as Json, encrypted) },
    async write(tx) {
      const change = Object.fromEntries(changes.map((name) => [name, body[name as keyof typeof body]]));
      const { also } = await changeIn(tx, context, id, change, { version });
      importing.changedIds.push(id, ...also);
    },
  };
}

/** Writes one flag, or says why it cannot be; what was written of it before that is taken back. */
async function importOne(
  tx: Db,
  importing: Importing,
  { key, flag, reason, complete }: Candidate,
): Promise<ImportedFlag> {
  const held = importing.flags.get(key);
  const refused = (because: string): ImportedFlag => ({
    key,
    state: "refused",
    reason: because,
    id: held?.id ?? null,
    version: held?.version ?? null,
    differences: [],
    proposed: null,
  });
  if (!flag) return refused(reason ?? "It cannot be read.");
  try {
    const { write, ...planned } = plan(importing, flag, complete);
    if (write) await tx.transaction((part) => write(part));
    return { key, reason: null, ...planned };
  } catch (error) {
    return refused(error instanceof FlagMoved ? CHANGED : reasonOf(error));
  }
}

const NAMED_MAX = 3;

/** @throws ApiError 400 where one of the flags is refused: then none is imported */
function refuseAll(found: readonly ImportedFlag[]): void {
  const refused = found.filter(({ state }) => state === "refused");
  if (refused.length === 0) return;
  const named = refused
    .slice(0, NAMED_MAX)
    .map(({ key, reason }) => `${key || "A flag without a key"}: ${reason}`);
  const more = refused.length > NAMED_MAX ? ` ${refused.length - NAMED_MAX} more are refused.` : "";
  throw invalid(`Nothing was changed. ${named.join(" ")}${more}`, "flags", "refused");
}

/**
 * Carries flags over: all of them, or none. A dry run says what would happen to each.
 *
 * @throws ApiError 400 where one of them is refused
 */
export async function carryOver(context: MemberContext, origin: Origin, candidates: readonly Candidate[]) {
  const { db, runtime, project } = context;
  if (origin.create_cohorts) requireScope(context.key, "cohort:write");
  const isDry = origin.dry_run === true;
  const run = async (tx: Db) => {
    const importing = await importingOf(tx, context, origin);
    await importing.cohorts.prepare(
      candidates.flatMap(({ flag }) => findReferences(flag?.filters ?? {}).cohorts),
    );
    const found = new Map<Candidate, ImportedFlag>();
    for (const candidate of inOrder(candidates, importing.names))
      found.set(candidate, await importOne(tx, importing, candidate));
    const flags = candidates.flatMap((candidate) => found.get(candidate) ?? []);
    const { made, missing } = importing.cohorts;
    if (isDry) throw new TakenBack({ flags, cohorts: missing });
    refuseAll(flags);
    return { found: { flags, cohorts: missing }, made, changedIds: importing.changedIds };
  };
  try {
    const { found, made, changedIds } = await inTransaction(db, run);
    if (made.length > 0) runtime.cohorts.changed(project.id);
    runtime.flags.changed(project.id, changedIds);
    await Promise.all(made.map((cohort) => calculated(db, cohort, context.now)));
    return { dry_run: false, ...found };
  } catch (error) {
    if (error instanceof TakenBack) return { dry_run: true, ...error.found };
    throw error;
  }
}

async function importFlags(context: MemberContext, { body }: Of<"import">) {
  const keys = body.flags.map(keyOf);
  const unknown = body.keys?.find((key) => !keys.includes(key));
  if (unknown !== undefined) throw invalid(`The file has no flag ${unknown.slice(0, 100)}.`, "keys");
  const candidates = body.flags
    .map((sent, index) => candidateOf(sent, index, keys))
    .filter(({ key }) => body.keys?.includes(key) ?? true);
  return carryOver(context, body, candidates);
}

export { importFlags as import };
