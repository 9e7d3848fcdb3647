import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { personConditions } from "#lib/people/persons/filter.ts";
import { placeConditions, questionsOf, type ResultsRequest } from "#lib/surveys/results/count/filter.ts";
import type { Tables } from "#lib/surveys/results/count/tables.ts";
import { resultsFilters } from "#lib/surveys/results/filters-schema.ts";
import { countInMemory, countPairs, countRowTables } from "#lib/surveys/results/read/counting.ts";
import { type Service, startService } from "#testing/service.ts";
import { surveyWithResponses, uuidNamed } from "#testing/survey-responses.ts";
import { QUESTIONS, send, type TestEvent } from "#testing/survey-results.ts";
import { createSurvey, ROOT } from "#testing/surveys.ts";
import { columnsIn } from "./columns-cache.ts";
import { readColumns, TooLarge } from "./columns-read.ts";
import { selectChanges, selectExpected, selectVersion } from "./columns-store.ts";
import type { TextKind } from "./text-column.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** The same database with a memory of its own. */
const alone = (): Service["db"] => Object.create(service.db);
const scopeOf = (survey_id: string) => ({ project_id: 1, survey_id });

let stored = 1_000;
/** A survey with responses; other events each time. */
const answered = () => {
  stored += 100;
  return surveyWithResponses(service, {}, stored);
};

async function askedFor(id: string, raw: Record<string, string>): Promise<ResultsRequest> {
  const { json: survey } = await service.api("GET", `${ROOT}${id}/`);
  const { date_from, date_to, iteration, answers, properties } = resultsFilters.parse(raw);
  const questions = questionsOf(survey);
  const people = properties
    ? personConditions(properties, await service.runtime.cohorts.project(1), Date.now())
    : null;
  const filter = { date_from, date_to, iteration, answers: placeConditions(answers, questions, "answers") };
  return { survey, scope: scopeOf(id), questions, filter, people, filtered: true };
}

const shown = ({ counts, days, durations }: Tables) => ({
  counts: [...counts]
    .filter(([key, n]) => n !== 0 && !/^iteration (?:0|\d+:(?:quit|abandoned))|^waiting -1/.test(key))
    .sort(),
  days: [...days].filter(([, did]) => Object.values(did).some((n) => n > 0)).sort(),
  durations,
});

const answers = (...list: object[]) => ({ answers: JSON.stringify(list) });
const person = (...list: object[]) => ({ properties: JSON.stringify(list) });
const FILTERS: [filter: Record<string, string>, responses: number][] = [
  [{}, 5],
  [{ iteration: "1" }, 2],
  [{ date_from: "2026-02-02", date_to: "2026-02-03" }, 2],
  [{ date_to: "2026-02-01" }, 1],
  [answers({ question_id: "nps", operator: "gte", value: 7 }), 3],
  [answers({ question_id: "why", operator: "icontains", value: "O" }), 2],
  [answers({ question_id: "why", operator: "icontains", value: "_F" }), 1],
  [answers({ question_id: "why", operator: "icontains", value: "%" }), 1],
  [answers({ question_id: "why", operator: "not_icontains", value: "slow" }), 2],
  [answers({ question_id: "why", value: ["50% of_f", " =Too slow "] }), 2],
  [answers({ question_id: "why", operator: "is_not", value: "50% of_f" }), 2],
  [answers({ question_id: "how", value: ["By letter"] }), 1],
  [answers({ question_id: "what", value: [" Nothing", "Surveys"] }), 2],
  [answers({ question_id: "what", operator: "icontains", value: "NOTH" }), 1],
  [answers({ question_id: "what", operator: "other" }), 1],
  [answers({ question_id: "how", operator: "skipped" }), 0],
  [answers({ question_id: "what", operator: "skipped" }), 1],
  [answers({ question_id: "how", operator: "left" }), 1],
  [person({ key: "plan", operator: "exact", value: ["pro"] }), 2],
  [person({ key: "plan", operator: "is_not_set" }), 3],
  [{ ...person({ key: "plan", operator: "is_set" }), ...answers({ question_id: "nps", value: "9" }) }, 1],
];

const withPlan = (distinct_id: string) => {
  const properties = { $set: { plan: "pro" } };
  return service.runtime.events.write(1, [
    {
      uuid: crypto.randomUUID(),
      event: "$set",
      distinct_id,
      at: Date.UTC(2026, 0, 1),
      properties,
      json: JSON.stringify(properties),
    },
  ]);
};

describe("figures counted in memory", () => {
  it("are those of the rows under every filter", async () => {
    const { id } = await answered();
    await withPlan(`${id} bob`);
    const context = { db: service.db };
    for (const [query, responses] of FILTERS) {
      const asked = await askedFor(id, query);
      const counted = await countInMemory(context, asked);
      const { tables } = counted ?? {};
      expect([query, tables?.counts.get("answered ") ?? 0]).toEqual([query, responses]);
      expect([query, tables && shown(tables)]).toEqual([query, shown(await countRowTables(context, asked))]);
    }
    const own = await countInMemory(context, await askedFor(id, { iteration: "0" }));
    expect([...(own?.texts ?? [])]).toEqual([
      [1, [{ text: "By letter", count: 1 }]],
      [2, [{ text: "Nothing", count: 1 }]],
    ]);
    const pairs = await countPairs(context, await askedFor(id, { date_from: "2026-02-02" }), 0, 2);
    expect(pairs.map(({ a, b, n }) => [a, b, n]).sort()).toEqual([
      ["10", "0", 1],
      ["7", "2,o", 1],
    ]);
  });

  it("follow whatever happens without being read again", async () => {
    const { id } = await createSurvey(service, { questions: QUESTIONS });
    const db = alone();
    const scope = scopeOf(id);
    const sent = (who: string, fields: Partial<TestEvent>): TestEvent => ({
      event: "survey sent",
      person: who,
      day: 2,
      answers: { nps: 9, why: "fast" },
      ...fields,
    });
    await send(service, id, [
      sent("ann", { uuid: uuidNamed(101) }),
      sent("bob", { submission: "s", completed: false, answers: { nps: 2 } }),
      { event: "survey shown", person: "bob", day: 1 },
    ]);
    const identity = () => columnsIn(db).use(scope, { texts: [], work: async ({ columns }) => columns });
    const queries = [{}, answers({ question_id: "why", operator: "icontains", value: "fast" })];
    const expectSame = async (responses: number[]) => {
      for (const [i, query] of queries.entries()) {
        const asked = await askedFor(id, query);
        const counted = await countInMemory({ db }, asked);
        expect(counted?.tables.counts.get("answered ") ?? 0).toBe(responses[i]);
        expect(counted && shown(counted.tables)).toEqual(shown(await countRowTables({ db }, asked)));
      }
    };
    await expectSame([2, 1]);
    const first = await identity();
    await expectSame([2, 1]);
    await send(service, id, [sent("cy", {}), { event: "survey dismissed", person: "cy", day: 1 }]);
    await expectSame([3, 2]);
    await send(service, id, [sent("bob", { day: 3, submission: "s", answers: { nps: 2, why: "not fast" } })]);
    await expectSame([3, 3]);
    await send(service, id, [sent("bob", { day: 4, submission: "s", answers: { nps: 2, why: "slow" } })]);
    await expectSame([3, 2]);
    await service.api("POST", `${ROOT}${id}/responses/${uuidNamed(101)}/archive/`);
    await expectSame([2, 1]);
    await service.api("POST", `${ROOT}${id}/responses/${uuidNamed(101)}/unarchive/`);
    await send(service, id, [{ event: "$identify", person: "ann", other: "bob", day: 5 }]);
    await expectSame([3, 2]);
    await send(service, id, [{ event: "survey abandoned", person: "ann", day: 1, iteration: 3 }]);
    await expectSame([3, 2]);
    expect(await identity()).toBe(first);
    // Changed questions change all answers: everything is read again.
    const questions = [QUESTIONS[3], QUESTIONS[0]];
    expect((await service.api("PATCH", `${ROOT}${id}/`, { questions })).status).toBe(200);
    await expectSame([3, 2]);
  });

  it("are read again where the history is another", async () => {
    const { id } = await answered();
    const db = alone();
    const identity = () =>
      columnsIn(db).use(scopeOf(id), { texts: [], work: async ({ columns }) => columns });
    const first = await identity();
    await service.db.execute(
      sql`update survey_changes set stamp = gen_random_uuid() where survey_id = ${id}`,
    );
    const second = await identity();
    expect(second).not.toBe(first);
    expect(await identity()).toBe(second);
    await service.db.execute(sql`
      update survey_changes set everything = true
      where survey_id = ${id} and n = (select max(n) from survey_changes where survey_id = ${id})`);
    // A change that is known already.
    expect(await identity()).toBe(second);
  });
});

describe("what changed since a version", () => {
  it("are the people and the responses of each change, once", async () => {
    const { id } = await createSurvey(service, { questions: QUESTIONS });
    const scope = scopeOf(id);
    expect(await selectVersion(service.db, scope)).toBeNull();
    await send(service, id, [{ event: "survey shown", person: "ann", day: 1 }]);
    const version = await selectVersion(service.db, scope);
    if (!version) throw new Error("Nothing is noted.");
    expect(version.n).toBe(1);
    expect(await selectChanges(service.db, scope, version)).toEqual({ version, people: [], responses: [] });
    const sent = (n: number): TestEvent => ({
      event: "survey sent",
      person: "ann",
      day: 1,
      uuid: uuidNamed(n),
      submission: "s",
      minute: n,
    });
    await send(service, id, [sent(201)]);
    await send(service, id, [sent(202)]);
    const changes = await selectChanges(service.db, scope, version);
    expect([changes?.version.n, changes?.people.length, changes?.responses.toSorted()]).toEqual([
      3,
      1,
      [uuidNamed(201), uuidNamed(202)],
    ]);
    expect(await selectChanges(service.db, scope, { ...version, stamp: "another" })).toBeNull();
    expect(await selectChanges(service.db, scope, { ...version, n: 0 })).toBeNull();
    expect(await selectChanges(service.db, scope, { ...version, n: 9 })).toBeNull();
    await service.db.execute(
      sql`update survey_changes set everything = true where survey_id = ${id} and n = 2`,
    );
    expect(await selectChanges(service.db, scope, version)).toBeNull();
  });
});

describe("the memory for columns", () => {
  const held = (db: Service["db"], bytes: number, id: string, texts: TextKind[] = []) =>
    columnsIn(db, bytes).use(scopeOf(id), {
      texts,
      work: async (all) => ({ ...all, keys: [...all.texts.keys()] }),
    });
  const why = (form: TextKind["form"]): TextKind => ({ form, index: 3, id: "why", type: "open" });

  it("forgets the survey that was used least recently, and no more than it must", async () => {
    const [one, two, three] = await Promise.all(
      [1, 2, 3].map(() => createSurvey(service, { questions: QUESTIONS })),
    );
    const ids = [one, two, three].map(({ id }) => id);
    for (const id of ids)
      await send(service, id, [{ event: "survey sent", person: "a", day: 1, answers: { nps: 9 } }]);
    const [a = "", b = "", c = ""] = ids;
    const size = (await held(alone(), 1e9, a))?.columns.bytes ?? 0;
    expect(size).toBeGreaterThan(0);
    const db = alone();
    const columns = async (id: string) => (await held(db, size * 2.5, id))?.columns;
    const [firstA, firstB] = [await columns(a), await columns(b)];
    expect([await columns(a), await columns(b)]).toEqual([firstA, firstB]);
    expect(await columns(a)).toBe(firstA);
    // B has to go: A was used after it.
    await columns(c);
    expect(await columns(a)).toBe(firstA);
    expect(await columns(b)).not.toBe(firstB);
  });

  it("forgets texts before columns, those asked for last of all", async () => {
    const { id } = await answered();
    const db = alone();
    // Room for the texts of one form: they are kept in pieces of four megabytes.
    const bytes = 6 * 1024 * 1024;
    const first = await held(db, bytes, id, [why("whole")]);
    expect(first?.keys).toEqual(["whole 3 why"]);
    expect((await held(db, bytes, id, [why("exact")]))?.columns).toBe(first?.columns);
    expect((await held(db, bytes, id))?.keys).toEqual(["exact 3 why"]);
    const roomy = alone();
    await held(roomy, 2 * bytes, id, [why("whole")]);
    await held(roomy, 2 * bytes, id, [why("exact")]);
    expect((await held(roomy, 2 * bytes, id, [why("whole")]))?.keys).toEqual(["exact 3 why", "whole 3 why"]);
  });

  it("is not exceeded: then there are no columns, for a while without trying", async () => {
    const { id } = await answered();
    const db = alone();
    expect(await held(db, 100, id)).toBeNull();
    expect(await held(db, 100, id)).toBeNull();
    expect(columnsIn(db).reading(scopeOf(id))).toBeNull();
    const reading = (bytes: number) => readColumns(service.db, scopeOf(id), bytes, () => undefined);
    const { columns } = await reading(1e9);
    await expect(reading(columns.bytes - 1)).rejects.toThrow(TooLarge);
    expect((await reading(columns.bytes)).columns.responses.length).toBe(7);
    // Texts that do not fit.
    expect(await held(alone(), 3_000_000, id, [why("whole")])).not.toBeNull();
  });

  it("holds nothing of a survey with which nothing happened", async () => {
    const { id } = await createSurvey(service, { questions: QUESTIONS });
    const db = alone();
    const first = await held(db, 1e9, id);
    expect([first?.version, first?.columns.responses.length]).toEqual([null, 0]);
    await send(service, id, [{ event: "survey sent", person: "a", day: 1, answers: { nps: 9 } }]);
    expect((await held(db, 1e9, id))?.columns.responses.length).toBe(1);
  });

  it("goes on after work that failed", async () => {
    const { id } = await answered();
    const db = alone();
    const failing = columnsIn(db).use(scopeOf(id), {
      texts: [],
      work: () => Promise.reject(new Error("broken")),
    });
    await expect(failing).rejects.toThrow("broken");
    expect((await held(db, 1e9, id))?.columns.responses.length).toBe(7);
  });
});

describe("how much there is to read", () => {
  it("is the number of responses, and of days that people have at most", async () => {
    const { id } = await answered();
    // Five responses, three showings, two dismissals, one that left and one that was abandoned.
    const expected = await selectExpected(service.db, scopeOf(id));
    expect(expected.responses).toBe(5);
    expect(expected.days).toBe(12);
    expect(await selectExpected(service.db, scopeOf("nobody"))).toEqual({ responses: 0, days: 0 });
    const told: number[][] = [];
    const { columns } = await readColumns(service.db, scopeOf(id), 1e9, (done, total) =>
      told.push([done, total]),
    );
    const { second, length } = columns.responses;
    const seconds = Array.from({ length }, (_, row) => second.at(row)).sort((a, b) => a - b);
    expect(seconds).toEqual([36_000, 36_000, 36_000, 36_000, 36_060, 41_400, 42_000]);
    expect(told).toEqual([]);
  });
});
