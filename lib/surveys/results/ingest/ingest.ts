import type { EraseStep, Removed } from "#lib/people/erasures/step.ts";
import type { PersonMerge } from "#lib/people/events/flush.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { addAcrossSurveys } from "./across-surveys.ts";
import { lockPeople } from "./across-surveys-store.ts";
import { type Coder, createCoder, encodeAnswers, tracePath } from "./answer-codes.ts";
import { type ArrivingEvent, FACT_EVENTS, type Fact, parseFact } from "./facts.ts";
import {
  addCounts,
  addDurations,
  addPersonDays,
  countChangesOf,
  deleteArchived,
  deleteStates,
  durationChangesOf,
  insertStates,
  lockPersonIds,
  lockSurveys,
  type Moments,
  type PersonDay,
  recountMoments,
  type SurveyScope,
  selectAnswersOf,
  selectArchived,
  selectHistories,
  selectHistoriesOf,
  selectPersonDays,
  selectQuestions,
  selectScopesOf,
  widenMoments,
} from "./ingest-store.ts";
import {
  buildHistory,
  dayOf,
  type NewState,
  noPersonFigures,
  type PersonFigures,
  type ResponseState,
  sumDays,
  type Tallies,
  Tally,
  tallyEvents,
  tallyHistory,
  tallyPerson,
} from "./response-history.ts";

/** An event that was just stored. */
type Arrival = { project_id: number; event: ArrivingEvent };

const scopeKey = ({ project_id, survey_id }: SurveyScope) => `${project_id}\u0000${survey_id}`;
const historyKey = (of: SurveyScope & { key: string }) => `${scopeKey(of)}\u0000${of.key}`;
const personKey = (of: SurveyScope & { person_id: number }) => `${scopeKey(of)}\u0000${of.person_id}`;

const newTallies = (): Tallies => ({
  counts: new Tally(),
  durations: new Tally(),
  days: new Tally(),
});

/**
 * The current coders of surveys; the surveys must be locked, so that their questions cannot change meanwhile.
 */
export async function loadCoders(
  tx: Db,
  scopes: readonly SurveyScope[],
): Promise<(scope: SurveyScope) => Coder> {
  const distinct = [...new Map(scopes.map((scope) => [scopeKey(scope), scope])).values()];
  const questions = await selectQuestions(
    tx,
    distinct.map(({ project_id, survey_id }) => ({ project_id, survey_id })),
  );
  const coders = new Map([...questions].map(([key, list]) => [key, createCoder(list)]));
  const none = createCoder([]);
  return (scope) => coders.get(scopeKey(scope)) ?? none;
}

const isSame = (a: ResponseState, b: ResponseState) =>
  a.latest === b.latest &&
  a.next_at === b.next_at &&
  a.started_at === b.started_at &&
  a.person_id === b.person_id &&
  a.archived === b.archived &&
  a.codes.join("\u0000") === b.codes.join("\u0000") &&
  a.path.join() === b.path.join();

/** Replaces the states of some responses, and their counts. */
async function replaceHistories(
  tx: Db,
  tallies: Tallies,
  before: readonly ResponseState[],
  after: readonly ResponseState[],
): Promise<void> {
  for (const history of Map.groupBy(before, historyKey).values()) tallyHistory(tallies, history, -1);
  for (const history of Map.groupBy(after, historyKey).values()) tallyHistory(tallies, history, 1);
  const stored = new Map(before.map((state) => [state.uuid, state]));
  const wanted = new Map(after.map((state) => [state.uuid, state]));
  const isKept = (state: ResponseState, others: ReadonlyMap<string, ResponseState>) => {
    const other = others.get(state.uuid);
    return other !== undefined && isSame(state, other);
  };
  const gone = before.filter((state) => !isKept(state, wanted));
  const come = after.filter((state) => !isKept(state, stored));
  await deleteStates(tx, gone);
  await insertStates(tx, come);
}

/** Groups changes of person days into rows. */
function dayChangesOf(days: Tally): PersonDay[] {
  const rows = new Map<string, PersonDay>();
  for (const [[project, survey_id = "", person, day = "", iteration, figure], n] of days.changes()) {
    const key = [project, survey_id, person, day, iteration].join("\u0000");
    const row = rows.get(key) ?? {
      project_id: Number(project),
      survey_id,
      person_id: Number(person),
      day,
      iteration: Number(iteration),
      ...noPersonFigures(),
    };
    row[figure as keyof PersonFigures] += n;
    rows.set(key, row);
  }
  return [...rows.values()];
}

/** Writes the tallies: person days, the sets of people that follow from them, and counts. */
async function writeTallies(tx: Db, { counts, durations, days }: Tallies): Promise<void> {
  const changes = dayChangesOf(days);
  const people = [...new Map(changes.map((row) => [personKey(row), row])).values()].map(
    ({ project_id, survey_id, person_id }) => ({ project_id, survey_id, person_id }),
  );
  const before = Map.groupBy(await selectPersonDays(tx, people), personKey);
  const changed = Map.groupBy(changes, personKey);
  for (const person of people) {
    const known = before.get(personKey(person)) ?? [];
    const scope = [person.project_id, person.survey_id] as const;
    tallyPerson(counts, scope, sumDays(known), -1);
    tallyPerson(counts, scope, sumDays([...known, ...(changed.get(personKey(person)) ?? [])]), 1);
  }
  await addAcrossSurveys(tx, counts, changes);
  await addPersonDays(tx, changes);
  await addCounts(tx, countChangesOf(counts));
  await addDurations(tx, durationChangesOf(durations));
}

/** Applies merges: moves everything from merged persons to the person that remains. */
async function followMerges(tx: Db, tallies: Tallies, merges: readonly PersonMerge[]): Promise<void> {
  const winnerOf = new Map(merges.map(({ loser, winner }) => [loser, winner]));
  const losers = [...winnerOf.keys()];
  const scopes = await selectScopesOf(tx, losers);
  if (scopes.length === 0) return;
  await lockPeople(
    tx,
    scopes.map(({ project_id }) => project_id),
  );
  await lockSurveys(tx, scopes);
  const histories = await selectHistoriesOf(tx, losers);
  const moved = histories.map((state) => ({
    ...state,
    person_id: winnerOf.get(state.person_id) ?? state.person_id,
  }));
  await replaceHistories(tx, tallies, histories, moved);
  const people = scopes.flatMap((scope) => losers.map((person_id) => ({ ...scope, person_id })));
  for (const row of await selectPersonDays(tx, people)) {
    const winner = winnerOf.get(row.person_id) ?? row.person_id;
    for (const figure of ["shown", "dismissed", "quit", "abandoned"] as const) {
      // The other figures moved with the responses.
      const at = [row.project_id, row.survey_id];
      tallies.days.add([...at, row.person_id, row.day, row.iteration, figure], -row[figure]);
      tallies.days.add([...at, winner, row.day, row.iteration, figure], row[figure]);
    }
  }
}

const KINDS = ["shown", "dismissed", "quit", "abandoned"] as const;

/** Takes everything of an erased person out of responses and rollups, once their events are deleted. */
export const eraseAnswers: EraseStep = {
  stored: async (db, { person_ids }) => ({ survey_responses: await selectAnswersOf(db, person_ids) }),
  person: async (tx, { project_id, person_ids }): Promise<Removed> => {
    const scopes = (await selectScopesOf(tx, person_ids)).filter((scope) => scope.project_id === project_id);
    if (scopes.length === 0) return {};
    await lockPeople(tx, [project_id]);
    await lockSurveys(tx, scopes);
    const tallies = newTallies();
    const gone = new Set(person_ids);
    const before = await selectHistoriesOf(tx, person_ids);
    const left = before.filter((state) => !gone.has(state.person_id));
    const after = [...Map.groupBy(left, historyKey).values()].flatMap(buildHistory);
    await replaceHistories(tx, tallies, before, after);
    const own = before.filter((state) => gone.has(state.person_id));
    await deleteArchived(tx, own);
    const people = scopes.flatMap((scope) => person_ids.map((person_id) => ({ ...scope, person_id })));
    const days = await selectPersonDays(tx, people);
    for (const row of days)
      for (const kind of KINDS) if (row[kind] > 0) tallyEvents(tallies, { ...row, kind }, -row[kind]);
    await writeTallies(tx, tallies);
    await recountMoments(tx, days);
    return { survey_responses: own.length, survey_person_days: days.length };
  },
};

type PersonFact = { fact: Fact; person_id: number };

const buildState = (fact: Fact, person_id: number, coder: Coder, archived: boolean): NewState | null => {
  if (fact.kind !== null) return null;
  const { kind, ...state } = fact;
  return {
    ...state,
    person_id,
    archived,
    codes: encodeAnswers(coder, state.answers, state.at),
    path: tracePath(coder, state.answers, state.completed, state.at),
  };
};

/** The time span of events of a kind, by survey and day. */
function momentsOf(placed: readonly PersonFact[]): Moments[] {
  const found = new Map<string, Moments>();
  for (const { fact } of placed) {
    const { project_id, survey_id, at, kind } = fact;
    if (kind !== "shown" && kind !== "dismissed") continue;
    const day = dayOf(at);
    const key = [scopeKey(fact), kind, day].join("\u0000");
    const known = found.get(key) ?? { project_id, survey_id, kind, day, first: at, last: at };
    found.set(key, { ...known, first: Math.min(known.first, at), last: Math.max(known.last, at) });
  }
  return [...found.values()];
}

async function addStates(tx: Db, tallies: Tallies, placed: readonly PersonFact[]): Promise<void> {
  const sent = placed.flatMap(({ fact }) => (fact.kind === null ? [fact] : []));
  const coders = await loadCoders(tx, sent);
  const keys = [...new Map(sent.map((fact) => [historyKey(fact), fact])).values()];
  const before = await selectHistories(
    tx,
    keys.map(({ project_id, survey_id, key }) => ({ project_id, survey_id, key })),
  );
  const known = new Set(before.map((state) => state.uuid));
  const archived = await selectArchived(
    tx,
    sent.map(({ project_id, uuid }) => ({ project_id, uuid })),
  );
  const states = placed.flatMap(({ fact, person_id }) => {
    if (known.has(fact.uuid)) return [];
    return buildState(fact, person_id, coders(fact), archived.has(fact.uuid)) ?? [];
  });
  const after = [...Map.groupBy([...before, ...states], historyKey).values()].flatMap(buildHistory);
  await replaceHistories(tx, tallies, before, after);
}

const parseFacts = (arrivals: readonly Arrival[]): Fact[] =>
  arrivals.flatMap(({ project_id, event }) =>
    FACT_EVENTS.has(event.event) ? (parseFact(project_id, event) ?? []) : [],
  );

/** Facts with their persons, locked until the transaction ends. */
async function lockPersonsOf(tx: Db, facts: readonly Fact[]): Promise<PersonFact[]> {
  const respondents = facts.map(({ project_id, distinct_id }) => ({ project_id, distinct_id }));
  const persons = await lockPersonIds(tx, respondents);
  return facts.map((fact) => ({
    fact,
    person_id: persons.get(`${fact.project_id}\u0000${fact.distinct_id}`) ?? 0,
  }));
}

/**
 * Updates survey responses and rollups with events that were just stored, in their transaction. Persons must
 * have been ingested already. Costs nothing without survey events and merges.
 *
 * @param merges persons merged in this transaction, each with the person that remains
 */
export async function ingestSurveys(
  tx: Db,
  fresh: readonly Arrival[],
  merges: readonly PersonMerge[],
): Promise<void> {
  const facts = parseFacts(fresh);
  if (facts.length === 0 && merges.length === 0) return;
  // Lock persons before surveys, as everywhere, to prevent deadlocks.
  const placed = await lockPersonsOf(tx, facts);
  if (merges.length > 0) {
    const moved = newTallies();
    await followMerges(tx, moved, merges);
    await writeTallies(tx, moved);
  }
  if (facts.length === 0) return;
  await lockPeople(
    tx,
    facts.map(({ project_id }) => project_id),
  );
  await lockSurveys(tx, facts);
  const tallies = newTallies();
  await addStates(tx, tallies, placed);
  for (const { fact, person_id } of placed)
    if (fact.kind !== null) tallyEvents(tallies, { ...fact, person_id, day: dayOf(fact.at) }, 1);
  await widenMoments(tx, momentsOf(placed));
  await writeTallies(tx, tallies);
}

/** Stores the responses of events without counting them. */
export async function addResponses(tx: Db, arrivals: readonly Arrival[]): Promise<void> {
  await addStates(tx, newTallies(), await lockPersonsOf(tx, parseFacts(arrivals)));
}

/** Changes stored states of some responses of a survey in place, and their counts. */
export async function changeStates(
  tx: Db,
  states: readonly ResponseState[],
  change: (state: ResponseState) => Partial<Pick<ResponseState, "archived" | "codes" | "path">>,
): Promise<void> {
  const tallies = newTallies();
  await replaceHistories(
    tx,
    tallies,
    states,
    states.map((state) => ({ ...state, ...change(state) })),
  );
  await writeTallies(tx, tallies);
}
