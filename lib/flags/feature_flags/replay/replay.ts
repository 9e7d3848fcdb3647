import type { CompiledFlags } from "#lib/engines/evaluation/compiled.ts";
import { evaluateFlag } from "#lib/engines/evaluation/evaluate.ts";
import type { Needs, Properties, Subject } from "#lib/engines/evaluation/values/types.ts";
import { isObject } from "#lib/engines/json.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import type { Flag } from "#lib/flags/feature_flags/cache.ts";
import {
  compileWith,
  type Snapshot,
  withoutSecrets,
} from "#lib/flags/feature_flags/evaluation/definitions.ts";
import { compileProposed, readProposal } from "#lib/flags/feature_flags/evaluation/proposal.ts";
import { dependenciesOf } from "#lib/flags/feature_flags/filters/filters.ts";
import {
  type FlagState,
  readStates,
  type StoredDefinition,
} from "#lib/flags/feature_flags/history/states.ts";
import { flagOf } from "#lib/flags/feature_flags/service.ts";
import { selectHashKeys } from "#lib/people/persons/hash-keys-store.ts";
import { createPersonReading } from "#lib/people/persons/scan.ts";
import { readPersonNames } from "#lib/people/persons/service.ts";
import { latestHorizon } from "#lib/people/retention/horizons.ts";
import { selectHorizons } from "#lib/people/retention/horizons-store.ts";
import { createSlices } from "#lib/platform/http/body/slices.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { invalid } from "#lib/platform/http/errors.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import { answerWithProgress, type Progress } from "#lib/platform/progress.ts";
import { inTurn } from "#lib/platform/turns.ts";
import type { ReplayAnswer, ReplayCause, ReplayValue, replayContract } from "./replay-contract.ts";
import {
  type CallFilter,
  type CallRow,
  selectGroupProperties,
  selectRecorded,
  selectSeveralIds,
  streamCalls,
} from "./replay-store.ts";

type Of<Name extends keyof typeof replayContract> = Input<(typeof replayContract)[Name]>;
type Body = Of<"replay">["body"];

const DAY_MS = 86_400_000;
/** Recorded values beyond these are counted together: a client can send any. */
const VALUES_MAX = 50;
const OTHER_VALUES = "(other values)";

/** A flag as it is evaluated in a replay; null: there is none, and nobody gets a value. */
type Answering = { compiled: CompiledFlags; key: string } | null;
type Period = FlagState & { answering: Answering };

/** A replay that is ready to run. */
type Plan = {
  key: string;
  from: Date;
  of: number;
  filter: CallFilter;
  /** The versions of the flag, oldest first. */
  periods: readonly Period[];
  target: Answering;
  /** Whether a person's value can depend on the distinct id, so that signing in can change it. */
  can_flip: boolean;
  values: ReadonlySet<string>;
  group_types: Snapshot["group_types"];
  needs: Needs;
  /** The values that are pinned now, by distinct id. */
  pinned: ReadonlyMap<string, ReplayValue>;
};

/** A flag with what it may refer to: other flags only where it depends on some. */
function compileAlone(snapshot: Snapshot, definition: StoredDefinition | null): Answering {
  if (!definition) return null;
  const others =
    dependenciesOf(definition.filters).length > 0
      ? snapshot.flags.live.filter(({ id }) => id !== definition.id).map(withoutSecrets)
      : [];
  return { compiled: compileWith(snapshot, [...others, definition]), key: definition.key };
}

/** What the calls are replayed against. @throws ApiError 400 for more than one, 404 for an unknown flag */
async function targetOf(context: MemberContext, snapshot: Snapshot, flag: Flag, body: Body) {
  const { draft, other_flag_id } = body;
  const version = body.version ?? null;
  if ([draft ?? null, version, other_flag_id ?? null].filter((each) => each !== null).length > 1)
    throw invalid("Give at most one of draft, version and other_flag_id.", "version");
  if (draft) {
    const proposal = await readProposal(context, snapshot, { ...draft, deleted: false, id: flag.id });
    const { definition } = proposal;
    return { definition, answering: { compiled: compileProposed(snapshot, [proposal]), key: proposal.key } };
  }
  if (version !== null) {
    const states = await readStates(context, flag, new Date(0));
    // Saves that decide nothing make no state: the latest one before them is theirs.
    const state = version <= flag.version ? states.findLast((each) => (each.version ?? 0) <= version) : null;
    if (!state?.definition || version < 1)
      throw invalid("The flag has no such version.", "version", "does_not_exist");
    return { definition: state.definition, answering: compileAlone(snapshot, state.definition) };
  }
  const other =
    other_flag_id === undefined || other_flag_id === null ? flag : await flagOf(context, other_flag_id);
  if (other.deleted && other !== flag)
    throw invalid("Deleted flags are not evaluated.", "other_flag_id", "does_not_exist");
  const definition = other.deleted ? null : withoutSecrets(other);
  return { definition, answering: compileAlone(snapshot, definition) };
}

const unite = (lists: readonly (readonly string[])[]) => [...new Set(lists.flat())];

function needsOf(all: readonly Answering[]): Needs {
  const needs = all.flatMap((each) => each?.compiled.by_key.get(each.key)?.needs ?? []);
  return {
    person_properties: unite(needs.map((each) => each.person_properties)),
    group_types: unite(needs.map((each) => each.group_types)),
    static_cohort_ids: [...new Set(needs.flatMap((each) => each.static_cohort_ids))],
    experience_continuity: needs.some((each) => each.experience_continuity),
  };
}

/** Whether the moment of a call can decide, as with dates that count back from it. */
function dependsOnTime(snapshot: Snapshot, definitions: readonly (StoredDefinition | null)[]): boolean {
  const filters = definitions.map((definition) => definition?.filters ?? {});
  const text = JSON.stringify(filters);
  const names = (of: unknown) => JSON.stringify(of).includes('"is_date_');
  const refers = text.includes('"cohort"') || text.includes('"flag"');
  return (
    names(filters) ||
    (refers &&
      (names([...snapshot.cohorts.byId.values()].map((cohort) => cohort.filters)) ||
        names(snapshot.flags.live.map((flag) => flag.filters))))
  );
}

/** The first moment of the first of so many days, of which today is the last. */
const startOf = (now: Date, days: number) =>
  new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS - (days - 1) * DAY_MS);

async function planOf(context: MemberContext, body: Body): Promise<Plan> {
  const { runtime, project, db, now } = context;
  const snapshot = await runtime.definitions.project(project.id);
  const flag = await flagOf(context, body.id);
  const target = await targetOf(context, snapshot, flag, body);
  const from = startOf(now, body.days);
  const states = await readStates(context, flag, from);
  const periods = states.map((state) => ({ ...state, answering: compileAlone(snapshot, state.definition) }));
  const keys = [...new Set([flag.key, ...states.flatMap(({ definition }) => definition?.key ?? [])])];
  const recorded = await selectRecorded(db, { project_id: project.id, keys, from }, VALUES_MAX);
  const definitions = [target.definition, ...states.map(({ definition }) => definition)];
  const needs = needsOf([target.answering, ...periods.map(({ answering }) => answering)]);
  const replayed = target.answering?.compiled.by_key.get(target.answering.key);
  return {
    key: flag.key,
    from,
    of: recorded.of,
    filter: {
      project_id: project.id,
      keys,
      from,
      changes: states.slice(1).map((state) => new Date(state.from)),
      by_moment: dependsOnTime(snapshot, definitions),
      with_lib: states.some(({ definition }) => (definition?.evaluation_runtime ?? "all") !== "all"),
      with_groups: needs.group_types.length > 0,
    },
    periods,
    target: target.answering,
    can_flip: replayed !== undefined && !replayed.by_group && !replayed.experience_continuity,
    values: new Set(recorded.values),
    group_types: snapshot.group_types,
    needs,
    pinned: new Map(flag.pins.flatMap((pin) => pin.distinct_ids.map((id) => [id, pin.value] as const))),
  };
}

const valueIn = (answering: Answering, subject: Subject): ReplayValue =>
  answering && (evaluateFlag(answering.compiled, answering.key, subject)?.value ?? null);

/** No value counts as false. */
const isSame = (a: ReplayValue, b: ReplayValue) => (a ?? false) === (b ?? false);

function recordedValue(response: string, values: ReadonlySet<string>): ReplayValue {
  if (response === "") return null;
  if (response === "true" || response === "false") return response === "true";
  return values.has(response) ? response : OTHER_VALUES;
}

const CLIENTS = /^(web|js)$|^posthog-(js|ios|android|flutter|react-native|unity)/;

/** Where a library runs; null where that cannot be told. */
function runtimeOf(lib: string | null): "client" | "server" | null {
  if (lib === null) return null;
  if (CLIENTS.test(lib)) return "client";
  return lib.startsWith("posthog-") ? "server" : null;
}

/** One row of calls, answered again. */
type Replayed = {
  row: CallRow;
  recorded: ReplayValue;
  replayed: ReplayValue;
  expected: ReplayValue;
  /** null: the version stored then explains the value. */
  cause: ReplayCause | null;
};

/** What a replay hands over, those of one person together. */
type Visitor = {
  call: (call: Replayed, person: number) => void;
  /** A person whose distinct ids get different values. */
  flip: (row: CallRow, person: number, values: { distinct_id: string; value: ReplayValue }[]) => void;
};

/** What is stored of the people and groups of some rows. */
function createReading({ db, project }: MemberContext, { needs, group_types }: Plan) {
  const readPersons = createPersonReading(db, {
    properties: needs.person_properties,
    cohort_ids: needs.static_cohort_ids,
  });
  const readGroups = async (rows: readonly CallRow[]) => {
    const named = [...new Set(rows.flatMap((row) => row.groups ?? []))];
    const keysIn = new Map(named.map((text) => [text, groupKeys(JSON.parse(text))]));
    const byType = await Promise.all(
      needs.group_types.map(async (type) => {
        const index = group_types.indexes.get(type);
        const keys = unite([...keysIn.values()].map((keys) => keys[type] ?? []).map((key) => [key].flat()));
        const found =
          index === undefined || keys.length === 0
            ? new Map<string, Properties>()
            : await selectGroupProperties(db, project.id, index, keys);
        return [type, found] as const;
      }),
    );
    return new Map(
      [...keysIn].map(([text, groups]) => {
        const properties = byType.flatMap(([type, found]) => {
          const of = found.get(groups[type] ?? "");
          return of ? [[type, of]] : [];
        });
        return [text, { groups, group_properties: Object.fromEntries(properties) }] as const;
      }),
    );
  };
  return async (rows: readonly CallRow[]) => {
    const ids = [...new Set(rows.flatMap((row) => row.person_id ?? []))];
    const [persons, groups, several, hashKeys] = await Promise.all([
      readPersons(ids),
      readGroups(rows),
      selectSeveralIds(db, ids),
      needs.experience_continuity && ids.length > 0 ? selectHashKeys(db, project.id, ids) : [],
    ]);
    const keysOf = Map.groupBy(hashKeys, (row) => row.person_id);
    return {
      several,
      subjectOf({ person_id, distinct_id, groups: named, first }: CallRow): Subject {
        const found = person_id === null ? undefined : persons.get(person_id);
        const keys = person_id === null ? undefined : keysOf.get(person_id);
        return {
          distinct_id,
          person_properties: found?.properties ?? null,
          static_cohorts: found?.static_cohorts ?? null,
          hash_key_overrides: keys
            ? Object.fromEntries(keys.map((row) => [row.flag_key, row.hash_key]))
            : null,
          ...(named !== null && groups.get(named)),
          now: first,
        };
      },
    };
  };
}

/** The group keys of a call; what is no text or number names no group. */
const groupKeys = (groups: unknown): Record<string, string> =>
  isObject(groups)
    ? Object.fromEntries(
        Object.entries(groups).flatMap(([type, key]) =>
          typeof key === "string" || typeof key === "number" ? [[type, String(key)]] : [],
        ),
      )
    : {};

type Stored = Awaited<ReturnType<ReturnType<typeof createReading>>>;

/** The likely cause of a value that the version stored then does not give. */
function causeOf(
  plan: Plan,
  stored: Stored,
  row: CallRow,
  recorded: ReplayValue,
  subject: Subject,
): ReplayCause {
  const pinned = plan.pinned.get(row.distinct_id);
  if (pinned !== undefined && isSame(pinned, recorded)) return "pinned";
  const period = plan.periods[row.period];
  const firstStored = plan.periods.findIndex(({ definition }) => definition !== null);
  if (row.period < firstStored) return "before_first_version";
  const runtime = period?.definition?.evaluation_runtime ?? "all";
  const caller = runtimeOf(row.lib);
  if (runtime !== "all" && caller !== null && caller !== runtime && isSame(recorded, false))
    return "wrong_runtime";
  if (recorded === null) return "no_value";
  const before = plan.periods[row.period - 1]?.answering;
  if (before && isSame(valueIn(before, subject), recorded)) return "earlier_version";
  const others = row.person_id === null ? [] : (stored.several.get(row.person_id) ?? []);
  const answering = period?.answering ?? null;
  const isOther = others.some(
    (distinct_id) =>
      distinct_id !== row.distinct_id && isSame(valueIn(answering, { ...subject, distinct_id }), recorded),
  );
  return isOther ? "other_distinct_id" : "not_explained";
}

const isSamePerson = (a: CallRow | null, b: CallRow): boolean =>
  a !== null && a.person_id === b.person_id && (b.person_id !== null || a.distinct_id === b.distinct_id);

/** What each of a person's distinct ids gets, where they do not all get the same. */
function findFlip({ can_flip, target }: Plan, stored: Stored, row: CallRow, subject: Subject) {
  if (!can_flip || row.person_id === null) return null;
  const values = (stored.several.get(row.person_id) ?? []).map((distinct_id) => ({
    distinct_id,
    value: valueIn(target, { ...subject, distinct_id }),
  }));
  return values.some(({ value }) => !isSame(value, values[0]?.value ?? null)) ? values : null;
}

/** Values of flags for one row after the other: those of a distinct id are the same unless the moment decides. */
function createAnswers({ filter }: Plan) {
  let last: CallRow | null = null;
  let known = new Map<Answering, ReplayValue>();
  return (row: CallRow, subject: Subject) => {
    const isLast = last !== null && last.distinct_id === row.distinct_id && last.groups === row.groups;
    if (!isLast || filter.by_moment) known = new Map();
    last = row;
    return (answering: Answering): ReplayValue => {
      const before = known.get(answering);
      if (before !== undefined) return before;
      const value = valueIn(answering, subject);
      known.set(answering, value);
      return value;
    };
  };
}

/**
 * Answers the calls again and hands them over. Each distinct id is evaluated once for a version, unless the moment of a
 * call decides.
 *
 * @returns now and then, how many calls it has seen
 */
async function* replayCalls(context: MemberContext, plan: Plan, visitor: Visitor): AsyncGenerator<number> {
  const { periods, target, values } = plan;
  const read = createReading(context, plan);
  const pause = createSlices();
  const answersFor = createAnswers(plan);
  let seen = 0;
  let person = 0;
  let last: CallRow | null = null;
  for await (const rows of streamCalls(context.db, plan.filter)) {
    const stored = await read(rows);
    for (const row of rows) {
      const subject = stored.subjectOf(row);
      const answer = answersFor(row, subject);
      if (!isSamePerson(last, row)) {
        person += 1;
        const flip = findFlip(plan, stored, row, subject);
        if (flip) visitor.flip(row, person, flip);
      }
      last = row;
      const recorded = recordedValue(row.response, values);
      const expected = answer(periods[row.period]?.answering ?? null);
      const cause = isSame(recorded, expected) ? null : causeOf(plan, stored, row, recorded, subject);
      visitor.call({ row, recorded, expected, replayed: answer(target), cause }, person);
      seen += row.calls;
      const others = pause();
      if (!others) continue;
      await others;
      yield seen;
    }
    yield seen;
  }
  yield seen;
}

/** Some of the calls: how many, by how many people, from when to when. */
type Tally = { calls: number; people: number; first: number; last: number; person: number };

const startTally = (): Tally => ({
  calls: 0,
  people: 0,
  first: Number.POSITIVE_INFINITY,
  last: Number.NEGATIVE_INFINITY,
  person: 0,
});

/** The rows of one person come together, so that the last person is all that has to be known to count each once. */
function addTo(tally: Tally, { calls, first, last }: CallRow, person: number): void {
  tally.calls += calls;
  tally.first = Math.min(tally.first, first);
  tally.last = Math.max(tally.last, last);
  if (tally.person === person) return;
  tally.person = person;
  tally.people += 1;
}

const moment = (at: number) => (Number.isFinite(at) ? instant(new Date(at)) : null);
const shown = ({ calls, people, first, last }: Tally) => ({
  calls,
  people,
  first: moment(first),
  last: moment(last),
});

const mostCalls = (a: { calls: number }, b: { calls: number }) => b.calls - a.calls;
const dayOf = (at: number) => Math.floor(at / DAY_MS);

/** The figures of a replay, to be filled by its calls. */
function createFigures(context: MemberContext, plan: Plan, days: number, deletedBefore: Date | null) {
  const [all, differing, unexplained] = [startTally(), startTally(), startTally()];
  const cells = new Map<ReplayValue, Map<ReplayValue, Tally>>();
  const causes = new Map<ReplayCause, Tally>();
  const byDay = new Map(
    Array.from({ length: days }, (_, place) => [
      dayOf(plan.from.getTime()) + place,
      { calls: 0, differing: 0 },
    ]),
  );
  let flips = 0;
  const visitor: Visitor = {
    call({ row, recorded, replayed, cause }, person) {
      addTo(all, row, person);
      const mapped = cells.get(recorded) ?? new Map<ReplayValue, Tally>();
      cells.set(recorded, mapped);
      const cell = mapped.get(replayed) ?? startTally();
      mapped.set(replayed, cell);
      addTo(cell, row, person);
      const day = byDay.get(dayOf(row.first)) ?? { calls: 0, differing: 0 };
      day.calls += row.calls;
      if (!isSame(recorded, replayed)) {
        addTo(differing, row, person);
        day.differing += row.calls;
      }
      byDay.set(dayOf(row.first), day);
      if (cause === null) return;
      addTo(unexplained, row, person);
      const tally = causes.get(cause) ?? startTally();
      causes.set(cause, tally);
      addTo(tally, row, person);
    },
    flip: () => {
      flips += 1;
    },
  };
  const answer = (): ReplayAnswer => ({
    key: plan.key,
    from: instant(plan.from),
    as_of: instant(context.now),
    deleted_before: deletedBefore && instant(deletedBefore),
    ...shown(all),
    differing: shown(differing),
    cells: [...cells]
      .flatMap(([before, mapped]) =>
        [...mapped].map(([after, tally]) => ({ before, after, ...shown(tally) })),
      )
      .sort(mostCalls),
    by_day: [...byDay]
      .sort(([a], [b]) => a - b)
      .map(([day, counts]) => ({ day: new Date(day * DAY_MS).toISOString().slice(0, 10), ...counts })),
    unexplained: {
      ...shown(unexplained),
      causes: [...causes].map(([cause, tally]) => ({ cause, ...shown(tally) })).sort(mostCalls),
    },
    sign_in_flips: plan.can_flip ? flips : null,
  });
  return { visitor, answer };
}

/** Up to when calls of the days were deleted; null: none were. */
async function findDeleted({ db, project }: MemberContext, { from }: Plan): Promise<Date | null> {
  const horizon = latestHorizon(await selectHorizons(db, project.id), ["$feature_flag_called"]);
  return horizon && horizon > from ? horizon : null;
}

export async function replay(context: MemberContext, { body }: Of<"replay">) {
  const plan = await planOf(context, body);
  const deleted = await findDeleted(context, plan);
  const { headers, runtime, project } = context;
  return answerWithProgress(headers, runtime.counting(project.id), async function* (): AsyncGenerator<
    Progress<ReplayAnswer>
  > {
    const { visitor, answer } = createFigures(context, plan, body.days, deleted);
    yield { seen: 0, of: plan.of, answer };
    for await (const seen of replayCalls(context, plan, visitor)) yield { seen, of: plan.of, answer };
  });
}

/** A person behind a figure; the values are those of the first of the calls. */
type Row = Omit<Replayed, "cause"> & {
  tally: Tally;
  values: { distinct_id: string; value: ReplayValue }[];
};

/** Keeps a page of the people that a figure counts. */
function createPage({ rows }: Of<"replay_people">["body"], { limit, offset }: Of<"replay_people">["query"]) {
  const page: Row[] = [];
  let count = 0;
  let last = 0;
  let open: Row | null = null;
  const holds = ({ recorded, replayed, cause }: Replayed): boolean => {
    if (rows.of === "cell") return recorded === rows.before && replayed === rows.after;
    return rows.of === "cause" && cause === rows.cause;
  };
  const visitor: Visitor = {
    flip(row, person, values) {
      if (rows.of !== "flips") return;
      start({ row, recorded: null, replayed: null, expected: null }, person, values);
    },
    call({ cause, ...call }, person) {
      if (rows.of === "flips") {
        if (person !== last || !open) return;
        if (open.tally.calls === 0) Object.assign(open, call);
      } else if (!holds({ ...call, cause })) return;
      else if (person !== last) start(call, person, []);
      if (open) addTo(open.tally, call.row, person);
    },
  };
  function start(call: Omit<Replayed, "cause">, person: number, values: Row["values"]): void {
    last = person;
    open = null;
    if (count >= offset && page.length < limit) {
      open = { ...call, tally: startTally(), values };
      page.push(open);
    }
    count += 1;
  }
  return { page, visitor, counted: () => count };
}

export async function replay_people(context: MemberContext, { body, query }: Of<"replay_people">) {
  const plan = await planOf(context, body);
  const { page, visitor, counted } = createPage(body, query);
  await inTurn(context.runtime.counting(context.project.id), async () => {
    for await (const _ of replayCalls(context, plan, visitor));
  });
  const names = await readPersonNames(
    context,
    page.flatMap(({ row }) => row.person_id ?? []),
  );
  const count = counted();
  return {
    count,
    ...neighbours(context.url, query, count),
    results: page.map(({ row, tally, recorded, replayed, expected, values }) => {
      const { people: _, ...figures } = shown(tally);
      return {
        distinct_id: row.distinct_id,
        person: (row.person_id !== null && names.get(row.person_id)) || null,
        ...figures,
        recorded,
        replayed,
        expected,
        values,
      };
    }),
  };
}
