import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { computeResult } from "#lib/experiments/results/days/series.ts";
import { clearDays, selectDays, selectSeries } from "#lib/experiments/results/days/store.ts";
import { erasePerson } from "#lib/people/erasures/erase.ts";
import type { ErasureRecord } from "#lib/people/erasures/schema.ts";
import type { Unchanged } from "#lib/people/erasures/step.ts";
import { deleteOldEvents } from "#lib/people/retention/job.ts";
import { dying } from "#testing/dying.ts";
import { finishErasures } from "#testing/erasures.ts";
import { HOUR, metric, START, source, startResults, type Told } from "#testing/experiment-results.ts";
import { jobContext } from "#testing/jobs.ts";
import { QUESTIONS } from "#testing/survey-results.ts";
import { launchSurvey } from "#testing/surveys.ts";
import { repairAll, verifyAll } from "./verification.ts";

/**
 * Two databases: one stores everything and then erases a person; the other one never hears of that person. Whatever
 * the API says of them must be the same.
 */

type Service = Awaited<ReturnType<typeof startResults>>;

let erased: Service;
let never: Service;
beforeAll(async () => {
  erased = await startResults();
  never = await startResults();
});
afterAll(async () => {
  await erased.close();
  await never.close();
});

const DAYS = 4;
const METRICS = [
  metric({ name: "bought", metric_type: "mean", source: source("buy") }),
  metric({
    name: "spent",
    metric_type: "mean",
    source: source("buy", { math: "sum", math_property: "amount" }),
    upper_bound_percentile: 0.6,
  }),
  metric({ name: "funnel", metric_type: "funnel", series: [source("view"), source("buy")] }),
];

/** What a run is about: a survey, and experiments on people and on companies. */
async function setUp(service: Service, run: number, end?: number) {
  const survey = await launchSurvey(service, { name: `Survey ${run}`, questions: QUESTIONS });
  const create = (name: string, fields: Record<string, unknown> = {}) =>
    service.create({
      name: `${name} ${run}`,
      feature_flag_key: `${name}-${run}`,
      metrics: METRICS,
      stats_config: { method: "bayesian", cuped: { enabled: true, lookback_days: 1 } },
      ...(end !== undefined && { end_date: new Date(START + end * HOUR).toISOString() }),
      ...fields,
    });
  const people = await create("people");
  const companies = await create("companies", { parameters: { aggregation_group_type_index: 0 } });
  return { survey: survey.id as string, people, companies };
}
type Subject = Awaited<ReturnType<typeof setUp>>;

const ids = fc.constantFrom("a", "b", "c", "d");
const hour = fc.integer({ min: -8, max: DAYS * 8 - 1 }).map((n) => n * 3);
const answers = fc.record(
  {
    $survey_response_nps: fc.integer({ min: 0, max: 10 }),
    $survey_response_how: fc.constantFrom("Web", "App", "By letter"),
    $survey_response_what: fc.subarray(["Flags", "Surveys", "Experiments"]),
    $survey_response_why: fc.constantFrom("too slow", "price"),
  },
  { requiredKeys: [] },
);
const set = fc.record(
  { plan: fc.constantFrom("free", "pro"), age: fc.integer({ min: 1, max: 3 }) },
  { requiredKeys: [] },
);
const generatedEvent = fc.oneof(
  fc.record({
    kind: fc.constant("called" as const),
    id: ids,
    at: hour,
    variant: fc.constantFrom("control", "test"),
  }),
  fc.record({
    kind: fc.constantFrom("view" as const, "buy" as const),
    id: ids,
    at: hour,
    amount: fc.constantFrom(1, 2.25, 10),
  }),
  fc.record({
    kind: fc.constant("survey" as const),
    id: ids,
    at: hour,
    event: fc.constantFrom(
      "survey shown",
      "survey dismissed",
      "survey sent",
      "survey sent",
      "survey abandoned",
    ),
    properties: fc.record({
      $survey_completed: fc.boolean(),
      $survey_partially_completed: fc.boolean(),
      $survey_iteration: fc.constantFrom(0, 1, 2),
      $survey_submission_id: fc.constantFrom("", "s1", "s2"),
    }),
    answers,
  }),
  fc.record({
    kind: fc.constant("set" as const),
    id: ids,
    at: hour,
    set,
    unset: fc.constantFrom([], ["plan"]),
  }),
  // An anonymous browser turns out to be somebody; its events are in the same batches.
  fc.record({ kind: fc.constant("merge" as const), id: ids, at: hour }),
  fc.record({
    kind: fc.constant("anonymous" as const),
    id: ids,
    at: hour,
    variant: fc.constantFrom("control", "test"),
  }),
  fc.record({ kind: fc.constant("again" as const), id: ids, at: hour, which: fc.nat({ max: 30 }) }),
);
type Generated = typeof generatedEvent extends fc.Arbitrary<infer H> ? H : never;

const uuidOf = (text: string) => {
  const hex = createHash("md5").update(text).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

type Numbered = Generated & { n: number };

/** The event of one of the databases. The uuid is the same in both. */
function eventOf(run: number, { survey }: Subject, op: Numbered, all: readonly Numbered[]): Told {
  if (op.kind === "again") {
    const other = all[op.which % all.length];
    if (other && other.kind !== "again") return eventOf(run, { survey } as Subject, other, all);
  }
  const id = `${run}-${op.id}`;
  const common = { id, at: op.at, uuid: uuidOf(`${run} ${op.n}`) };
  const groups = { $groups: { company: `${run}-${op.id < "c" ? "first" : "second"}` } };
  const calls = (kind: string, variant: string) => ({
    $feature_flag: `${kind}-${run}`,
    $feature_flag_response: variant,
  });
  switch (op.kind) {
    case "called":
      return {
        ...common,
        event: "$feature_flag_called",
        properties: { ...groups, ...calls(op.n % 2 ? "people" : "companies", op.variant) },
      };
    case "survey":
      return {
        ...common,
        event: op.event,
        properties: { $survey_id: survey, ...op.properties, ...op.answers },
      };
    case "set":
      return { ...common, event: "$set", properties: { $set: op.set, $unset: op.unset } };
    case "merge":
      return { ...common, event: "$identify", properties: { $anon_distinct_id: `${id}-anonymous` } };
    case "anonymous":
      return {
        ...common,
        id: `${id}-anonymous`,
        event: "$feature_flag_called",
        properties: { ...groups, ...calls("people", op.variant) },
      };
    case "again":
      return { ...common, event: "view", properties: groups };
    default:
      return { ...common, event: op.kind, properties: { amount: op.amount, ...groups } };
  }
}

/** Ids that the databases gave, and moments of processing. */
const VARYING = new Set([
  ...["id", "uuid", "person", "choice_id", "as_of"],
  ...["last_seen_at", "created_at", "updated_at", "completed_at", "experiment_set", "surveys"],
]);

/** What an answer says, apart from those. */
function normalised(text: string, { survey, people, companies }: Subject): unknown {
  const own = [
    survey,
    ...[people, companies].flatMap((each) => each.metrics.map((m: { uuid: string }) => m.uuid)),
  ];
  const named = own.reduce((rest, id, i) => rest.replaceAll(id, `id ${i}`), text);
  return JSON.parse(named, (key, value) => (VARYING.has(key) ? undefined : value));
}

async function figures(service: Service, run: number, subject: Subject, hours: number) {
  const root = "/api/projects/1";
  const survey = `${root}/surveys/${subject.survey}`;
  const read = async (path: string) => {
    const { status, text } = await service.api("GET", path);
    expect(status, `${path}: ${text}`).toBe(200);
    return [path.replace(subject.survey, "survey"), normalised(text, subject)];
  };
  const experiments = [];
  for (const { id } of [subject.people, subject.companies]) {
    const { prepared, figures: found } = await service.figures(id, hours);
    const days = [];
    for (const { series } of found.storedMetrics)
      days.push((await selectDays(service.db, series.id)).map(({ day, result }) => [day, result]));
    experiments.push({
      units: [...found.units].sort(),
      unit_days: found.unit_days.map((day) => Object.values(day).join(" ")).sort(),
      results: normalised(
        JSON.stringify(
          found.storedMetrics.map(
            (stored) =>
              computeResult(prepared, stored, found.units, found.totals.get(stored.series.id) ?? []).wire,
          ),
        ),
        subject,
      ),
      days: normalised(JSON.stringify(days), subject),
    });
  }
  const { rows: calls } = await service.db.execute(sql`
    select feature_flag_key, response, day::text, calls, last_called_at from feature_flag_calls_daily order by 1, 2, 3`);
  const { rows: lastCalls } = await service.db.execute(sql`
    select key, last_called_at from feature_flags where key like ${`%-${run}`} order by 1`);
  const { rows: names } = await service.db.execute(sql`
    select name, count, deleted, last_seen_at from event_definitions order by 1`);
  return {
    survey: [
      await read(`${survey}/stats/`),
      await read(`${survey}/results/`),
      await read(`${survey}/results/?date_from=2026-03-02&date_to=2026-03-04`),
      await read(`${survey}/responses/?limit=500`),
      await read(`${survey}/crosstab/?question_a=how&question_b=what`),
    ],
    across: await read(`${root}/surveys/stats/`),
    experiments,
    flags: [calls, lastCalls],
    names,
    properties: [
      await read(`${root}/property_definitions/?type=person`),
      await read(`${root}/property_definitions/values/?type=person&key=plan`),
      await read(`${root}/property_definitions/values/?type=person&key=age`),
    ],
    people: (await service.api("GET", `${root}/persons/?limit=1000`)).json.results
      .map(({ name, distinct_ids, properties, is_identified, created_at }: Record<string, unknown>) => ({
        name,
        distinct_ids,
        properties,
        is_identified,
        created_at,
      }))
      .sort((a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1)),
  };
}

type Figures = Awaited<ReturnType<typeof figures>>;

/** Figures apart from the recorded days of experiments, and those. */
function withoutDays({ experiments, ...rest }: Figures) {
  return [
    { ...rest, experiments: experiments.map(({ days: _, ...others }) => others) },
    experiments.map(({ days }) => days),
  ] as const;
}

/** The recorded days of experiments, each computed again from all events that are stored now. */
async function recalculate(service: Service, run: number, subject: Subject, hours: number) {
  for (const { id } of [subject.people, subject.companies]) {
    for (const series of await selectSeries(service.db, id)) await clearDays(service.db, series.id);
    await service.figures(id, hours, { rebuild: true });
  }
  return withoutDays(await figures(service, run, subject, hours))[1];
}

type Pair = { erased: Service; never: Service };
type Batches = readonly (readonly Generated[])[];
type Played = {
  run: number;
  /** What is stored before the erasure, and what arrives after it. */
  before: Batches;
  after: Batches;
  who: string;
  hours: number;
  /** When the experiments end, in hours; they run on unless given. */
  end?: number;
};

const addCompanies = (service: Service) =>
  service.send([
    {
      event: "$groupidentify",
      id: "admin",
      at: 0,
      properties: { $group_type: "company", $group_key: "any", $group_set: {} },
    },
  ]);

/** Stores a history in both databases, without the person in one of them. */
async function store({ erased, never }: Pair, { run, before, after, who, hours, end }: Played) {
  const [inErased, inNever] = [await setUp(erased, run, end), await setUp(never, run, end)];
  const both = [
    [erased, inErased],
    [never, inNever],
  ] as const;
  const numbered = [...before, ...after].map((batch, i) =>
    batch.map((op, j): Numbered => ({ ...op, n: i * 100 + j })),
  );
  // What is sent again afterwards is of the same batches: until the job has run, an erased event is still known.
  const all = numbered.slice(0, before.length).flat();
  const isLater = (op: Numbered) => op.kind !== "again";
  const isTheirs = ({ id }: Told) => id === `${run}-${who}` || id === `${run}-${who}-anonymous`;
  for (const [i, batch] of numbered.slice(0, before.length).entries()) {
    await erased.send(batch.map((op) => eventOf(run, inErased, op, all)));
    await never.send(batch.map((op) => eventOf(run, inNever, op, all)).filter((told) => !isTheirs(told)));
    // Figures are kept up to date step by step, and some days are recorded while the person is there.
    if (i % 2 === 0)
      for (const [service, { people, companies }] of both)
        for (const { id } of [people, companies]) await service.figures(id, Math.min(hours, 24 + 8 * i));
  }
  return {
    inErased,
    inNever,
    async sendLater() {
      for (const batch of numbered.slice(before.length))
        for (const [service, subject] of both)
          await service.send(batch.filter(isLater).map((op) => eventOf(run, subject, op, all)));
    },
  };
}

/** Requests the erasure of somebody, who is gone at once. */
async function erase({ erased }: Pair, { run, who }: Played): Promise<void> {
  for (const distinct_id of [`${run}-${who}`, `${run}-${who}-anonymous`]) {
    const { json } = await erased.api("GET", `/api/projects/1/persons/?distinct_id=${distinct_id}`);
    for (const { id } of json.results) {
      const gone = await erased.api("DELETE", `/api/projects/1/persons/${id}/?delete_events=true`);
      expect(gone.status).toBe(202);
      expect((await erased.api("GET", `/api/projects/1/persons/${id}/`)).status).toBe(404);
    }
  }
}

const unequal = async ({ db, runtime }: Service) =>
  (await verifyAll(db, runtime.settings.encryption_key)).filter(({ differences }) => differences > 0);

const batches = fc.array(fc.array(generatedEvent, { maxLength: 14 }), { minLength: 1, maxLength: 3 });
const laterBatches = fc.array(fc.array(generatedEvent, { maxLength: 6 }), { maxLength: 1 });
const someHours = fc.integer({ min: 24, max: DAYS * 24 });

/** Everybody is exposed in both experiments, and buys something. */
const everybody = fc
  .array(fc.record({ at: hour, variant: fc.constantFrom("control", "test") }), { minLength: 4, maxLength: 4 })
  .map((list) =>
    (["a", "b", "c", "d"] as const).flatMap((id, i): Generated[] => {
      const { at = 0, variant = "test" } = list[i] ?? {};
      const called = { kind: "called", id, at, variant } as const;
      const buys = { kind: "buy", id, at: at + 1, amount: 2.25 } as const;
      return [called, called, buys, buys];
    }),
  );

let runs = 0;

it("leaves every figure as it is where the person was never seen", async () => {
  const pair = { erased, never };
  for (const service of [erased, never]) await addCompanies(service);
  await fc.assert(
    fc.asyncProperty(batches, laterBatches, ids, someHours, async (before, after, who, hours) => {
      runs += 1;
      const played = { run: 1_000 + runs, before, after, who, hours };
      const { inErased, inNever, sendLater } = await store(pair, played);
      await erase(pair, played);
      // Whoever comes after it with the same id is somebody else, even while the job has still to run.
      await sendLater();
      await finishErasures(erased, new Date(START + hours * HOUR));
      const [found, days] = withoutDays(await figures(erased, played.run, inErased, hours));
      const [expected, recorded] = withoutDays(await figures(never, played.run, inNever, hours));
      expect(found).toEqual(expected);
      // Days are computed again if the person was in them, and then know what arrived after they were recorded.
      const again = await recalculate(never, played.run, inNever, hours);
      for (const [i, own] of days.entries()) expect([recorded[i], again[i]]).toContainEqual(own);
      expect(await unequal(erased)).toEqual([]);
    }),
    { numRuns: 10, endOnFailure: true },
  );
}, 240_000);

/** Goes on with unfinished erasures in a process that is killed, again and again, then in one that is not. */
async function finishAfter(service: Service, deaths: readonly number[], isRepaired: boolean, now: Date) {
  for (const at of deaths) {
    const { rows } = await service.db.execute<{ id: string }>(
      sql`select id from erasures where finished_at is null`,
    );
    for (const { id: erasure_id } of rows) {
      const context = jobContext(service.runtime, { now, payload: { erasure_id } });
      await erasePerson.run({ ...context, db: dying(service.db, at) }).catch((error: unknown) => {
        expect(String(error)).toContain("killed");
      });
    }
  }
  if (isRepaired) await repairAll(service.db, service.runtime.settings.encryption_key);
  await finishErasures(service, now);
}

type Recorded = [day: string, result: unknown][][];

/** On how many days something else is recorded. */
function countDaysThatDiffer(a: unknown, b: unknown): number {
  const [found, expected] = [a as Recorded, b as Recorded];
  const wrong = new Set<string>();
  for (const [i, days] of expected.entries()) {
    const own = new Map(found[i]);
    expect([...own.keys()]).toEqual(days.map(([day]) => day));
    for (const [day, result] of days) if (!isDeepStrictEqual(own.get(day), result)) wrong.add(day);
  }
  return wrong.size;
}

/** What deleting by age leaves of figures, from a day on: what counts events from before may count anybody's. */
function since(day: string, { names, flags, experiments, ...rest }: Figures) {
  const [calls] = flags;
  return {
    ...rest,
    names: names.flatMap(({ name, count, deleted, last_seen_at }) =>
      Number(count) > Number(deleted) ? { name, stored: Number(count) - Number(deleted), last_seen_at } : [],
    ),
    calls: calls?.filter((call) => String(call.day) >= day),
    people: rest.people,
    experiments: experiments.map(({ days: _, ...figures }) => figures),
  };
}

it("and where events are deleted by age, wherever the work is broken off, apart from what the erasure names", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(everybody, batches).map(([first, rest]) => [first, ...rest]),
      laterBatches,
      ids,
      someHours,
      fc.integer({ min: -1, max: DAYS + 1 }),
      fc.constantFrom(true, true, true, false),
      fc.array(fc.integer({ min: 1, max: 8 }), { maxLength: 3 }),
      fc.boolean(),
      async (before, after, who, hours, horizon, isEnded, deaths, isRepaired) => {
        const pair: Pair = { erased: await startResults(), never: await startResults() };
        const services = Object.values(pair);
        for (const service of services) await addCompanies(service);
        const played = { run: 1, before, after, who, hours, ...(isEnded && { end: hours }) };
        const { inErased, inNever, sendLater } = await store(pair, played);
        // Midnight of the day so many after the first, and 7 days of retention later.
        const day = new Date(START - 9 * HOUR + horizon * 24 * HOUR);
        const now = new Date(day.getTime() + (7 * 24 + 3) * HOUR);
        for (const service of services) {
          const retention = { event_retention: { days: 7, by_event: {} } };
          expect((await service.api("PATCH", "/api/projects/1/", retention)).status).toBe(200);
          await deleteOldEvents.run(jobContext(service.runtime, { now }));
        }
        const untouched = await figures(pair.erased, 1, inErased, hours);
        await figures(pair.never, 1, inNever, hours);
        await erase(pair, played);
        await sendLater();
        await finishAfter(pair.erased, deaths, isRepaired, new Date(START + hours * HOUR));
        // Days are recorded by whoever reads figures first: the same happens on both sides.
        if (isRepaired) await repairAll(pair.never.db, pair.never.runtime.settings.encryption_key);
        const [found, expected] = [
          await figures(pair.erased, 1, inErased, hours),
          await figures(pair.never, 1, inNever, hours),
        ];
        const { rows: sealed } = await pair.erased.db.execute<{ experiment_id: number; sealed: boolean }>(
          sql`select experiment_id, sealed from experiment_states order by 1`,
        );
        const [people, companies] = [inErased.people.id, inErased.companies.id].map(
          (id) => sealed.find(({ experiment_id }) => experiment_id === id)?.sealed ?? false,
        );
        const { json } = await pair.erased.api("GET", "/api/projects/1/erasures/");
        // What one of its people did for a group is stored nowhere: its figures stay, and are named if that is known.
        if (companies) {
          expect(found.experiments[1]).toEqual(untouched.experiments[1]);
          for (const figures of [found, expected]) figures.experiments.pop();
        }
        const [own, others] = [found, expected].map(({ experiments: [first] }) => first?.days);
        if (people) {
          const named = json.results.flatMap(
            ({ unchanged_experiments }: ErasureRecord) => unchanged_experiments,
          );
          const most = named
            .filter(({ experiment_id }: Unchanged) => experiment_id === inErased.people.id)
            .reduce((sum: number, { recorded_days }: Unchanged) => sum + (recorded_days ?? 0), 0);
          expect(countDaysThatDiffer(own, others)).toBeLessThanOrEqual(most);
        } else {
          const [again] = await recalculate(pair.never, 1, inNever, hours);
          expect([others, again]).toContainEqual(own);
        }
        const from = day.toISOString().slice(0, 10);
        expect(since(from, found)).toEqual(since(from, expected));
        expect(await unequal(pair.erased)).toEqual([]);
        for (const service of services) await service.close();
      },
    ),
    { numRuns: 5, endOnFailure: true },
  );
}, 240_000);

it("says what could not be computed again, and keeps out what arrives of the person from before", async () => {
  const service = await startResults();
  await addCompanies(service);
  const { people, companies } = await setUp(service, 1, 72);
  const $groups = { company: "acme" };
  const called = (id: string, { feature_flag_key }: { feature_flag_key: string }, at: number): Told => {
    const properties = { $feature_flag: feature_flag_key, $feature_flag_response: "test", $groups };
    return { event: "$feature_flag_called", id, at, properties };
  };
  await service.send([
    ...["ann", "bob"].flatMap((id) => [called(id, people, 20), called(id, companies, 20)]),
    { event: "buy", id: "ann", at: 30, properties: { amount: 10, $groups } },
    { event: "view", id: "ann", at: 40, properties: { $groups } },
  ]);
  await service.api("PATCH", "/api/projects/1/", {
    event_retention: { days: 7, by_event: { view: null } },
  });
  const now = new Date(START + 14 * 24 * HOUR);
  await deleteOldEvents.run(jobContext(service.runtime, { now }));
  const { json } = await service.api("POST", "/api/projects/1/persons/bulk_delete/", {
    distinct_ids: ["ann"],
    delete_events: true,
  });
  // Until the erasure is finished, nothing more is deleted by age.
  await service.api("PATCH", "/api/projects/1/", { event_retention: { days: 7, by_event: {} } });
  await deleteOldEvents.run(jobContext(service.runtime, { now }));
  expect(
    (await service.db.execute(sql`select event from events where event <> '$groupidentify'`)).rows,
  ).toEqual([{ event: "view" }]);
  await finishErasures(service, now);
  const late = { event: "buy", distinct_id: "ann", timestamp: new Date(START + 31 * HOUR).toISOString() };
  const sent = { api_key: service.token, historical_migration: true, batch: [late] };
  expect((await service.api("POST", "/batch/", sent, { key: null })).json.rejected).toHaveLength(1);
  expect((await service.api("GET", "/api/projects/1/persons/?distinct_id=ann")).json.results).toEqual([]);
  const { json: erasure } = await service.api("GET", `/api/projects/1/erasures/${json.erasures[0].id}/`);
  // Four days are recorded. The person was exposed on the second, and the last one is what is stored now.
  const named = {
    events_deleted_before: "2026-03-09T00:00:00.000000Z",
    unchanged_experiments: [
      { experiment_id: people.id, recorded_days: 2 },
      { experiment_id: companies.id, recorded_days: null },
    ],
  };
  expect(erasure).toMatchObject({ state: "finished", removed: { events: 1, experiment_units: 1 }, ...named });
  const statement = JSON.parse(erasure.certificate.statement);
  expect(statement.events_deleted_before).toBe(named.events_deleted_before);
  expect(statement.unchanged_experiments).toEqual([
    { experiment_id: people.id, recorded_days: 2 },
    { experiment_id: companies.id },
  ]);
  expect(statement.statement).toContain("except");
  const results = await service.api("GET", `/api/projects/1/experiments/${people.id}/results/?look=false`);
  expect(results.json.exposures.total_exposures).toEqual({ control: 0, test: 1 });
  const days = await Promise.all(
    (await selectSeries(service.db, people.id)).map(({ id }) => selectDays(service.db, id)),
  );
  const samples = days[0]?.map(({ result }) => JSON.parse(JSON.stringify(result)).variant_results[0]);
  expect(samples?.map(({ number_of_samples }) => number_of_samples)).toEqual([0, 2, 2, 1]);
  expect(await unequal(service)).toEqual([]);
  await service.close();
});

it("ends only when no experiment keeps the person, not even a deleted one", async () => {
  const made = await erased.create({
    name: "Deleted",
    feature_flag_key: "deleted-experiment",
    metrics: METRICS,
  });
  await erased.send([
    {
      event: "$feature_flag_called",
      id: "of-the-deleted",
      at: 1,
      properties: { $feature_flag: "deleted-experiment", $feature_flag_response: "test" },
    },
  ]);
  await erased.figures(made.id, 30);
  const units = async () => {
    const { rows } = await erased.db.execute(
      sql`select unit from experiment_units where experiment_id = ${made.id}`,
    );
    return rows.length;
  };
  expect(await units()).toBe(1);
  await erased.api("PATCH", `/api/projects/1/experiments/${made.id}/`, { deleted: true });
  const { json } = await erased.api("POST", "/api/projects/1/persons/bulk_delete/", {
    distinct_ids: ["of-the-deleted"],
    delete_events: true,
  });
  await finishErasures(erased, new Date(START + 30 * HOUR));
  const { json: done } = await erased.api("GET", `/api/projects/1/erasures/${json.erasures[0].id}/`);
  expect([done.state, done.removed.experiment_units, await units()]).toEqual(["finished", 1, 0]);
});

it("leaves no trace in the files of the database once they are rewritten", async () => {
  const { survey, people } = await setUp(erased, 9_999);
  const canary = "canaryq7x9";
  const filesWithIt = async () => {
    await erased.db.execute(sql`checkpoint`);
    const { rows } = await erased.db.execute(sql`
      select f.name from pg_database d cross join lateral pg_ls_dir('base/' || d.oid) as f(name)
      where d.datname = current_database()
        and position(${canary}::bytea in pg_read_binary_file('base/' || d.oid || '/' || f.name, 0, 1000000000, true)) > 0`);
    return rows.length;
  };
  await erased.send([
    {
      event: `${canary} event`,
      id: canary,
      at: 1,
      properties: { $set: { note: `note ${canary}` }, text: canary },
    },
    {
      event: "survey sent",
      id: canary,
      at: 1,
      properties: { $survey_id: survey, $survey_response_why: canary },
    },
    {
      event: "$feature_flag_called",
      id: canary,
      at: 1,
      properties: { $feature_flag: people.feature_flag_key, $feature_flag_response: "test" },
    },
  ]);
  await erased.figures(people.id, 30);
  expect(await filesWithIt()).toBeGreaterThan(0);
  await erased.api("POST", "/api/projects/1/persons/bulk_delete/", {
    distinct_ids: [canary],
    delete_events: true,
  });
  await finishErasures(erased, new Date(START + 30 * HOUR));
  // VACUUM FULL keeps deleted rows while an older snapshot, such as autovacuum's, is in use.
  const rewriteFiles = async () => {
    await erased.db.execute(sql`vacuum full`);
    return await filesWithIt();
  };
  await expect.poll(rewriteFiles, { timeout: 30_000 }).toBe(0);
});
