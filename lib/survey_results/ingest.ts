import type { Db } from "#lib/db/connect.ts";
import {
  chainOf,
  dayOf,
  daysOf,
  type Link,
  nothingDone,
  type PersonFigures,
  type State,
  type Tallies,
  Tally,
  tallyChain,
  tallyHappening,
  tallyPerson,
} from "./chain.ts";
import { type Coder, coderOf, codesOf, pathOf } from "./coding.ts";
import { type ArrivingEvent, FACT_EVENTS, type Fact, factOf } from "./facts.ts";
import {
  addChanges,
  addCounts,
  addDurations,
  addPersonDays,
  countChangesOf,
  deleteLinks,
  durationChangesOf,
  insertLinks,
  lockPersonIds,
  lockSurveys,
  type Moments,
  type PersonDay,
  type SurveyScope,
  selectArchived,
  selectChains,
  selectChainsOf,
  selectPersonDays,
  selectQuestions,
  selectScopesOf,
  widenMoments,
} from "./ingest_store.ts";
import { addTogether } from "./together.ts";
import { lockPeople } from "./together_store.ts";

/** An event that was just stored. */
type Arrival = { project_id: number; event: ArrivingEvent };
/** Two persons who turned out to be one; several steps may lead to the last winner. */
export type PersonMerge = { loser: number; winner: number };

const scopeKey = ({ project_id, survey_id }: SurveyScope) => `${project_id}\u0000${survey_id}`;
const chainKey = (of: SurveyScope & { key: string }) => `${scopeKey(of)}\u0000${of.key}`;
const personKey = (of: SurveyScope & { person_id: number }) => `${scopeKey(of)}\u0000${of.person_id}`;

const newTallies = (): Tallies => ({
  counts: new Tally(),
  durations: new Tally(),
  days: new Tally(),
  responses: new Map(),
});

/** The surveys' coders as of now; the surveys must be locked, so that nobody changes their questions meanwhile. */
export async function codersOf(
  tx: Db,
  scopes: readonly SurveyScope[],
): Promise<(scope: SurveyScope) => Coder> {
  const distinct = [...new Map(scopes.map((scope) => [scopeKey(scope), scope])).values()];
  const questions = await selectQuestions(
    tx,
    distinct.map(({ project_id, survey_id }) => ({ project_id, survey_id })),
  );
  const coders = new Map([...questions].map(([key, list]) => [key, coderOf(list)]));
  const none = coderOf([]);
  return (scope) => coders.get(scopeKey(scope)) ?? none;
}

const isSame = (a: Link, b: Link) =>
  a.latest === b.latest &&
  a.next_at === b.next_at &&
  a.started_at === b.started_at &&
  a.person_id === b.person_id &&
  a.archived === b.archived &&
  a.codes.join("\u0000") === b.codes.join("\u0000") &&
  a.path.join() === b.path.join();

/** Replaces the states of some responses, and what they count for. */
async function replaceChains(
  tx: Db,
  tallies: Tallies,
  before: readonly Link[],
  after: readonly Link[],
): Promise<void> {
  for (const chain of Map.groupBy(before, chainKey).values()) tallyChain(tallies, chain, -1);
  for (const chain of Map.groupBy(after, chainKey).values()) tallyChain(tallies, chain, 1);
  const stored = new Map(before.map((link) => [link.uuid, link]));
  const wanted = new Map(after.map((link) => [link.uuid, link]));
  const isKept = (link: Link, others: ReadonlyMap<string, Link>) => {
    const other = others.get(link.uuid);
    return other !== undefined && isSame(link, other);
  };
  const gone = before.filter((link) => !isKept(link, wanted));
  const come = after.filter((link) => !isKept(link, stored));
  for (const { uuid, project_id, survey_id } of [...gone, ...come])
    tallies.responses.set(uuid, { project_id, survey_id });
  await deleteLinks(tx, gone);
  await insertLinks(tx, come);
}

/** Changes of people's days, gathered a row: from one figure each. */
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
      ...nothingDone(),
    };
    row[figure as keyof PersonFigures] += n;
    rows.set(key, row);
  }
  return [...rows.values()];
}

/** Writes what was tallied: people's days, the sets of people that follow from them, and the counts. */
async function writeTallies(tx: Db, { counts, durations, days, responses }: Tallies): Promise<void> {
  const changes = dayChangesOf(days);
  const people = [...new Map(changes.map((row) => [personKey(row), row])).values()].map(
    ({ project_id, survey_id, person_id }) => ({ project_id, survey_id, person_id }),
  );
  const before = Map.groupBy(await selectPersonDays(tx, people), personKey);
  const changed = Map.groupBy(changes, personKey);
  for (const person of people) {
    const known = before.get(personKey(person)) ?? [];
    const scope = [person.project_id, person.survey_id] as const;
    tallyPerson(counts, scope, daysOf(known), -1);
    tallyPerson(counts, scope, daysOf([...known, ...(changed.get(personKey(person)) ?? [])]), 1);
  }
  await addTogether(tx, counts, changes);
  await addPersonDays(tx, changes);
  await addCounts(tx, countChangesOf(counts));
  await addDurations(tx, durationChangesOf(durations));
  await addChanges(
    tx,
    people,
    [...responses].map(([uuid, scope]) => ({ ...scope, uuid })),
  );
}

/** Follows merges: what losers did, the last winners did. */
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
  const chains = await selectChainsOf(tx, losers);
  const moved = chains.map((link) => ({
    ...link,
    person_id: winnerOf.get(link.person_id) ?? link.person_id,
  }));
  await replaceChains(tx, tallies, chains, moved);
  const people = scopes.flatMap((scope) => losers.map((person_id) => ({ ...scope, person_id })));
  for (const row of await selectPersonDays(tx, people)) {
    const winner = winnerOf.get(row.person_id) ?? row.person_id;
    for (const figure of ["shown", "dismissed", "quit", "abandoned"] as const) {
      // The others moved with the responses.
      const at = [row.project_id, row.survey_id];
      tallies.days.add([...at, row.person_id, row.day, row.iteration, figure], -row[figure]);
      tallies.days.add([...at, winner, row.day, row.iteration, figure], row[figure]);
    }
  }
}

type Placed = { fact: Fact; person_id: number };

const stateOf = (fact: Fact, person_id: number, coder: Coder, archived: boolean): State | null => {
  if (fact.happening !== null) return null;
  const { happening, ...state } = fact;
  return {
    ...state,
    person_id,
    archived,
    codes: codesOf(coder, state.answers, state.at),
    path: pathOf(coder, state.answers, state.completed, state.at),
  };
};

/** Between which moments events of a kind came, by survey and day. */
function momentsOf(placed: readonly Placed[]): Moments[] {
  const found = new Map<string, Moments>();
  for (const { fact } of placed) {
    const { project_id, survey_id, at, happening: kind } = fact;
    if (kind !== "shown" && kind !== "dismissed") continue;
    const day = dayOf(at);
    const key = [scopeKey(fact), kind, day].join("\u0000");
    const known = found.get(key) ?? { project_id, survey_id, kind, day, first: at, last: at };
    found.set(key, { ...known, first: Math.min(known.first, at), last: Math.max(known.last, at) });
  }
  return [...found.values()];
}

async function addStates(tx: Db, tallies: Tallies, placed: readonly Placed[]): Promise<void> {
  const sent = placed.flatMap(({ fact }) => (fact.happening === null ? [fact] : []));
  const coders = await codersOf(tx, sent);
  const keys = [...new Map(sent.map((fact) => [chainKey(fact), fact])).values()];
  const before = await selectChains(
    tx,
    keys.map(({ project_id, survey_id, key }) => ({ project_id, survey_id, key })),
  );
  const known = new Set(before.map((link) => link.uuid));
  const archived = await selectArchived(
    tx,
    sent.map(({ project_id, uuid }) => ({ project_id, uuid })),
  );
  const states = placed.flatMap(({ fact, person_id }) => {
    if (known.has(fact.uuid)) return [];
    return stateOf(fact, person_id, coders(fact), archived.has(fact.uuid)) ?? [];
  });
  const after = [...Map.groupBy([...before, ...states], chainKey).values()].flatMap(chainOf);
  await replaceChains(tx, tallies, before, after);
}

const factsOf = (arrivals: readonly Arrival[]): Fact[] =>
  arrivals.flatMap(({ project_id, event }) =>
    FACT_EVENTS.has(event.event) ? (factOf(project_id, event) ?? []) : [],
  );

/** Facts with the persons whom they are about, who stay as they are until the transaction ends. */
async function placedOf(tx: Db, facts: readonly Fact[]): Promise<Placed[]> {
  const respondents = facts.map(({ project_id, distinct_id }) => ({ project_id, distinct_id }));
  const persons = await lockPersonIds(tx, respondents);
  return facts.map((fact) => ({
    fact,
    person_id: persons.get(`${fact.project_id}\u0000${fact.distinct_id}`) ?? 0,
  }));
}

/**
 * Keeps what surveys' answers become up to date with events that were just stored, in their transaction. Persons
 * must have been ingested already. Costs nothing where no event is about a survey and nobody was merged.
 *
 * @param merges persons who were merged in this transaction, losers with their last winners
 */
export async function ingestSurveys(
  tx: Db,
  fresh: readonly Arrival[],
  merges: readonly PersonMerge[],
): Promise<void> {
  const facts = factsOf(fresh);
  if (facts.length === 0 && merges.length === 0) return;
  // Persons before surveys, as everywhere: who waits for a survey holds no person that its holder needs.
  const placed = await placedOf(tx, facts);
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
    if (fact.happening !== null) tallyHappening(tallies, fact, person_id);
  await widenMoments(tx, momentsOf(placed));
  await writeTallies(tx, tallies);
}

/** Stores the responses of events alone, for those who count them afterwards. */
export async function addResponses(tx: Db, arrivals: readonly Arrival[]): Promise<void> {
  await addStates(tx, newTallies(), await placedOf(tx, factsOf(arrivals)));
}

/** Changes the stored states of some responses of a survey in place, and all that is counted from them. */
export async function changeLinks(
  tx: Db,
  links: readonly Link[],
  change: (link: Link) => Partial<Pick<Link, "archived" | "codes" | "path">>,
): Promise<void> {
  const tallies = newTallies();
  await replaceChains(
    tx,
    tallies,
    links,
    links.map((link) => ({ ...link, ...change(link) })),
  );
  await writeTallies(tx, tallies);
}
