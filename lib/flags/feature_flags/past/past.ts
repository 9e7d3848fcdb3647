import { selectSaves, selectValuesBefore } from "#lib/activity/store.ts";
import { evaluateAll } from "#lib/engines/evaluation/evaluate.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import type { Flag } from "#lib/flags/feature_flags/cache.ts";
import { compileWith } from "#lib/flags/feature_flags/evaluation/definitions.ts";
import { selectionOf, subjectOf } from "#lib/flags/feature_flags/evaluation/evaluation.ts";
import { groupsOf } from "#lib/flags/feature_flags/evaluation/person-flags.ts";
import { reasonText, toSdkReason } from "#lib/flags/feature_flags/evaluation/reasons.ts";
import { redactFilters } from "#lib/flags/feature_flags/filters/payloads.ts";
import { KEPT_BESIDE } from "#lib/flags/feature_flags/history/changes.ts";
import {
  type Comparable,
  isScheduled,
  listFlagDifferences,
} from "#lib/flags/feature_flags/history/differences.ts";
import { definitionOf } from "#lib/flags/feature_flags/history/states.ts";
import { EMPTY } from "#lib/flags/feature_flags/history/versions.ts";
import { FLAG_FIELDS, isSurveyFlag } from "#lib/flags/feature_flags/schema.ts";
import { type FlagFilters, withGroups } from "#lib/people/conditions/filters-schema.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import { loggedNames, showValues } from "#lib/platform/fields-schema.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { invalid } from "#lib/platform/http/errors.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import {
  type ChangedFlag,
  type PastFlag,
  type pastContract,
  SAVES_MAX,
  SAVES_SHOWN,
} from "./past-contract.ts";

type Of<Name extends keyof typeof pastContract> = Input<(typeof pastContract)[Name]>;

/** The logged fields of a flag as they were; filters always have their sets. */
type State = Record<string, unknown> & { filters: FlagFilters };

const FIELDS = loggedNames(FLAG_FIELDS);
const SCOPE = "FeatureFlag";

function currentOf(flag: Flag): Record<string, unknown> {
  const filters = flag.has_encrypted_payloads ? redactFilters(flag.filters) : flag.filters;
  const shown: Record<string, unknown> = showValues(FLAG_FIELDS, { ...flag, filters });
  return Object.fromEntries(FIELDS.map((field) => [field, shown[field]]));
}

/**
 * The flags that were there at a moment, by id. A field was what the first later save says that it was before; one that
 * no later save changed is as it is now.
 */
async function statesAt(context: MemberContext, at: Date): Promise<Map<number, State>> {
  const { byId } = await context.runtime.flags.project(context.project.id);
  const { values, created } = await selectValuesBefore(context.db, {
    project_id: context.project.id,
    scope: SCOPE,
    after: at,
    without_fields: KEPT_BESIDE,
  });
  const before = new Map<string, Record<string, unknown>>();
  for (const { item_id, field, value } of values)
    before.set(item_id, { ...before.get(item_id), [field]: value ?? EMPTY[field] ?? null });
  const states = new Map<number, State>();
  for (const flag of byId.values()) {
    if (created.has(String(flag.id)) || flag.targets_survey || isSurveyFlag(flag)) continue;
    const state = { ...currentOf(flag), ...before.get(String(flag.id)) };
    if (state.deleted !== true) states.set(flag.id, { ...state, filters: filtersIn(state) });
  }
  return states;
}

const filtersIn = ({ filters }: Record<string, unknown>): FlagFilters =>
  withGroups((filters ?? {}) as Record<string, unknown>) as FlagFilters;

/** What a person got from each flag at a moment, by the flag's id. */
async function evaluationsAt(
  context: MemberContext,
  states: ReadonlyMap<number, State>,
  { at, distinct_id, groups }: { at: Date; distinct_id: string; groups: Record<string, string> },
) {
  const { runtime, project } = context;
  const snapshot = await runtime.definitions.project(project.id);
  const definitions = [...states].flatMap(([id, state]) => definitionOf(id, state) ?? []);
  const compiled = compileWith(snapshot, definitions);
  const subject = await subjectOf(
    runtime,
    project.id,
    { ...snapshot, compiled },
    selectionOf(compiled, null),
    { distinct_id, groups, now: at.getTime() },
  );
  const byKey = new Map(evaluateAll(compiled, subject).map((found) => [found.key, found]));
  return new Map(
    definitions.flatMap(({ id, key }) => {
      const found = byKey.get(key ?? "");
      if (!found) return [];
      const { value, condition_index } = found;
      const reason = toSdkReason(found.reason, value);
      return [[id, { value, reason, condition_index, text: reasonText(reason, condition_index) }] as const];
    }),
  );
}

const byKey = (a: { key: string }, b: { key: string }) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);

function checkPast(context: MemberContext, at: Date, attr: string): void {
  if (at > context.now) throw invalid(`${attr} must be in the past.`, attr);
}

export async function past(context: MemberContext, { query }: Of<"past">) {
  const { at, distinct_id } = query;
  checkPast(context, at, "at");
  const groups = groupsOf(query.groups);
  const states = await statesAt(context, at);
  const { byId } = await context.runtime.flags.project(context.project.id);
  const evaluations =
    distinct_id === undefined ? null : await evaluationsAt(context, states, { at, distinct_id, groups });
  const needle = (query.search ?? "").trim().toLowerCase();
  const found = [...states].flatMap(([id, state]): PastFlag[] => {
    const [key, name] = [String(state.key), String(state.name ?? "")];
    if (!`${key}\n${name}`.toLowerCase().includes(needle)) return [];
    return [
      {
        id,
        key,
        name,
        active: state.active === true,
        version: typeof state.version === "number" ? state.version : null,
        tags: Array.isArray(state.tags) ? state.tags.map(String) : [],
        filters: state.filters,
        deleted_since: byId.get(id)?.deleted === true,
        evaluation: evaluations?.get(id) ?? null,
      },
    ];
  });
  return {
    count: found.length,
    ...neighbours(context.url, query, found.length),
    results: found.sort(byKey).slice(query.offset, query.offset + query.limit),
  };
}

/** What the cohorts and flags are called that filters refer to. */
async function namesIn({ runtime, project }: MemberContext): Promise<Names> {
  const [flags, cohorts] = [
    await runtime.flags.project(project.id),
    await runtime.cohorts.project(project.id),
  ];
  return {
    flags: new Map([...flags.byId.values()].map(({ id, key }) => [String(id), key])),
    cohorts: new Map([...cohorts.byId.values()].map(({ id, name }) => [String(id), name])),
  };
}

type Saves = Awaited<ReturnType<typeof selectSaves>>;

function changeOf(before: State | undefined, after: State | undefined, saves: Saves): ChangedFlag["change"] {
  if (!before) return saves.some(({ activity }) => activity === "created") ? "created" : "restored";
  return after ? "changed" : "deleted";
}

const comparable = ({ version: _, deleted: __, ...state }: State): Comparable => state;

export async function past_changes(context: MemberContext, { query }: Of<"past_changes">) {
  const { from, to } = query;
  checkPast(context, to, "to");
  if (from >= to) throw invalid("from must be before to.", "from");
  const project_id = context.project.id;
  const saves = await selectSaves(
    context.db,
    { project_id, scope: SCOPE, after: from, until: to, without_fields: KEPT_BESIDE },
    SAVES_MAX + 1,
  );
  if (saves.length > SAVES_MAX)
    throw invalid(`There are over ${SAVES_MAX} saves between these times. Choose a shorter period.`, "from");
  const byFlag = new Map<number, Saves>();
  for (const save of saves)
    byFlag.set(Number(save.item_id), [...(byFlag.get(Number(save.item_id)) ?? []), save]);
  const [earlier, later, names] = [
    await statesAt(context, from),
    await statesAt(context, to),
    await namesIn(context),
  ];
  // The newest save of all is of the first flag.
  const changed = [...byFlag].flatMap(([id, own]): ChangedFlag[] => {
    const [before, after] = [earlier.get(id), later.get(id)];
    if (!before && !after) return [];
    const differences =
      before && after ? listFlagDifferences(comparable(before), comparable(after), names) : [];
    return [
      {
        id,
        key: String((after ?? before)?.key),
        change: before && after && differences.length === 0 ? "none" : changeOf(before, after, own),
        differences,
        save_count: own.length,
        saves: own
          .slice(0, SAVES_SHOWN)
          .map(({ activity, created_at, trigger, user_id, first_name, email }) => ({
            at: instant(created_at),
            activity,
            user: user_id === null ? null : { first_name: first_name ?? "", email },
            by_schedule: isScheduled({ detail: { trigger } }),
          })),
      },
    ];
  });
  return {
    count: changed.length,
    ...neighbours(context.url, query, changed.length),
    results: changed.slice(query.offset, query.offset + query.limit),
  };
}
