import { sql } from "drizzle-orm";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verify } from "#lib/app/rollups.ts";
import { type Service, startService } from "#testing/service.ts";
import { figuresIn } from "#testing/survey-figures.ts";
import { createSurvey, ROOT, storeEvents } from "#testing/surveys.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

type Choices = { choices: string[]; choice_ids?: (string | null)[] };

const single = (choices: string[], more: object = {}) => ({
  id: "q",
  type: "single_choice",
  question: "How did you hear of us?",
  choices,
  ...more,
});

const running = (questions: object[]) =>
  createSurvey(service, { questions, start_date: "2026-01-01T00:00:00Z" });

async function call(method: string, path: string, body?: object) {
  const { status, json, text } = await service.api(method, `${ROOT}${path}`, body);
  expect(status, text).toBeLessThan(300);
  return json;
}

const patch = (id: string, questions: object[]) => call("PATCH", `${id}/`, { questions });
const get = (id: string, what: string, query: Record<string, string> = {}) =>
  call("GET", `${id}/${what}/?${new URLSearchParams(query)}`);

let person = 0;
/** Answers by different people; `at` as of now if absent. */
const answer = (id: string, answers: Record<string, unknown>, at = new Date()) =>
  storeEvents(service.db, [
    {
      event: "survey sent",
      distinct_id: `person ${++person}`,
      timestamp: at.toISOString(),
      properties: {
        $survey_id: id,
        $survey_completed: true,
        ...Object.fromEntries(
          Object.entries(answers).map(([key, value]) => [`$survey_response_${key}`, value]),
        ),
      },
    },
  ]);

type Counted = { choice: string; count: number };

/** Figures of the first question's choices: current ones, former ones, free texts. */
async function figures(id: string, query: Record<string, string> = {}) {
  const { choice } = (await get(id, "results", query)).questions[0];
  const counts = (list: Counted[]) => Object.fromEntries(list.map((one) => [one.choice, one.count]));
  return { now: counts(choice.choices), former: counts(choice.former), other: choice.other?.count ?? 0 };
}

const differences = async () => (await verify(service.db)).filter((finding) => finding.differences > 0);

const EARLIER = new Date("2026-02-01T12:00:00Z");

describe("a choice with answers", () => {
  it("keeps them when its text is corrected, wherever they are counted", async () => {
    const survey = await running([
      single(["Friend", "Search", "Other"], {
        hasOpenChoice: true,
        branching: { type: "response_based", responseValues: { 0: "end" } },
      }),
      { id: "why", type: "open", question: "Why?" },
    ]);
    const { id } = survey;
    await answer(id, { q: "Friend" }, EARLIER);
    await answer(id, { q: "Search", why: "fast" }, EARLIER);
    const [question, why] = survey.questions;
    expect(question.choice_ids).toHaveLength(3);
    await patch(id, [{ ...question, choices: ["A friend", "Search", "Other"] }, why]);
    // Pages that were loaded before still say "Friend".
    await answer(id, { q: "Friend" });
    await answer(id, { q: "A friend" });
    expect(await figures(id)).toEqual({ now: { "A friend": 3, Search: 1 }, former: {}, other: 0 });

    const filtered = (value: string, operator = "exact") =>
      get(id, "results", { answers: JSON.stringify([{ question_id: "q", operator, value }]) });
    for (const text of ["A friend", "Friend"]) expect((await filtered(text)).matched).toBe(3);
    expect((await filtered("a fr", "icontains")).matched).toBe(3);
    expect((await filtered("A friend", "is_not")).matched).toBe(1);

    const results = await get(id, "results");
    for (const { at, count, rows } of figuresIn([results.questions, results.edges]))
      expect([at, (await get(id, "responses", rows)).count]).toEqual([at, count]);
    const leaving = results.edges.filter(({ from }: { from: unknown }) => from === 0);
    expect(leaving.map(({ to, count }: { to: unknown; count: number }) => [to, count])).toEqual([
      [1, 1],
      ["end", 3],
    ]);

    const { results: rows } = await get(id, "responses");
    const answers = rows.map((row: { answers: { value: string; counted_as: string }[] }) => row.answers[0]);
    expect(answers.map((one: { value: string }) => one.value).sort()).toEqual([
      "A friend",
      "Friend",
      "Friend",
      "Search",
    ]);
    expect(answers.filter((one: { counted_as: string }) => one.counted_as === "A friend")).toHaveLength(3);
    const csv = await service.api("GET", `${ROOT}${id}/export/?format=csv`);
    expect(csv.text.match(/A friend/g)).toHaveLength(3);
    const { statements } = await get(id, "statements", { question_id: "q" });
    expect(statements[0]).toMatchObject({ text: expect.stringMatching(/chose “A friend”\.$/), count: 3 });
    expect(await differences()).toEqual([]);
  });

  it("leaves them to the former choice when another one replaces it", async () => {
    const survey = await running([single(["Friend", "Search"]), single(["Yes", "No"], { id: "again" })]);
    const { id } = survey;
    await answer(id, { q: "Friend", again: "Yes" }, EARLIER);
    await answer(id, { q: "Search", again: "No" }, EARLIER);
    const [question, again] = survey.questions;
    const [, search] = question.choice_ids;
    const saved = await patch(id, [
      { ...question, choices: ["Family", "Search"], choice_ids: [null, search] },
      again,
    ]);
    expect(saved.questions[0].choice_ids[1]).toBe(search);
    expect(question.choice_ids).not.toContain(saved.questions[0].choice_ids[0]);
    expect(await figures(id)).toEqual({ now: { Family: 0, Search: 1 }, former: { Friend: 1 }, other: 0 });

    const { choice } = (await get(id, "results")).questions[0];
    expect(choice).toMatchObject({ shares_sum: 1, former: [{ share: 0.5, of: 2 }] });
    const opened = await get(id, "responses", choice.former[0].rows);
    expect(opened.count).toBe(1);
    expect(opened.results[0].answers[0]).toMatchObject({
      value: "Friend",
      counted_as: "Friend (former choice)",
    });
    const answers = JSON.parse(choice.former[0].rows.figure);
    expect((await get(id, "results", { answers: JSON.stringify(answers) })).matched).toBe(1);
    const table = await get(id, "crosstab", { question_a: "q", question_b: "again" });
    expect(
      table.row_categories.map(({ label, count }: { label: string; count: number }) => [label, count]),
    ).toEqual([
      ["Family", 0],
      ["Search", 1],
      ["Friend (former choice)", 1],
    ]);
    expect(await differences()).toEqual([]);

    // The old questions, saved again, are the old choices again.
    await patch(id, survey.questions);
    expect(await figures(id)).toEqual({ now: { Friend: 1, Search: 1 }, former: {}, other: 0 });
  });

  it("leaves them to the former choice when it is removed, moved away or its question is, and takes them up again", async () => {
    const survey = await running([single(["Friend", "Search", "Press"])]);
    const { id } = survey;
    for (const text of ["Friend", "Search", "Press", "Press"]) await answer(id, { q: text }, EARLIER);
    const [question] = survey.questions;
    const [friend, search, press] = question.choice_ids;
    await patch(id, [{ ...question, choices: ["Press", "Friend"], choice_ids: [press, friend] }]);
    expect(await figures(id)).toEqual({ now: { Press: 2, Friend: 1 }, former: { Search: 1 }, other: 0 });
    await patch(id, [{ id: "new", type: "open", question: "Anything else?" }]);
    await patch(id, [{ ...question, choice_ids: [friend, search, press] }]);
    expect(await figures(id)).toEqual({ now: { Friend: 1, Search: 1, Press: 2 }, former: {}, other: 0 });
  });

  it("leaves its rule behind when it is removed: its answers went on to the next question", async () => {
    const survey = await running([
      single(["Friend", "Search"], {
        branching: { type: "response_based", responseValues: { 0: "end", 1: "end" } },
      }),
      { id: "why", type: "open", question: "Why?" },
    ]);
    const { id } = survey;
    for (const q of ["Friend", "Search"]) await answer(id, { q }, EARLIER);
    const [question, why] = survey.questions;
    const [, search] = question.choice_ids;
    const rules = { type: "response_based", responseValues: { 0: "end" } };
    await patch(id, [{ ...question, choices: ["Search"], choice_ids: [search], branching: rules }, why]);
    const { edges } = await get(id, "results");
    expect(edges.map(({ from, to, count }: Record<string, unknown>) => [from, to, count])).toEqual([
      ["start", 0, 2],
      [0, 1, 1],
      [0, "end", 1],
      [1, "end", 1],
    ]);
  });

  it("is known by its text alone where no ids are sent, and is never guessed to be reworded", async () => {
    const { id } = await running([single(["Friend", "Search"])]);
    await answer(id, { q: "Friend" }, EARLIER);
    await patch(id, [single(["Search", "Friend"])]);
    expect(await figures(id)).toEqual({ now: { Search: 0, Friend: 1 }, former: {}, other: 0 });
    await patch(id, [single(["Search", "A friend"])]);
    expect(await figures(id)).toEqual({ now: { Search: 0, "A friend": 0 }, former: { Friend: 1 }, other: 0 });
    await patch(id, [single(["Search", "Friend"])]);
    expect(await figures(id)).toEqual({ now: { Search: 0, Friend: 1 }, former: {}, other: 0 });
  });

  it("keeps what was answered in another language", async () => {
    const translated = (de: string[]) => ({ translations: { de: { choices: de } } });
    const survey = await running([single(["Friend", "Search"], translated(["Freund", "Suche"]))]);
    const { id } = survey;
    await answer(id, { q: "Freund" }, EARLIER);
    await answer(id, { q: "Friend" }, EARLIER);
    expect(await figures(id)).toEqual({ now: { Friend: 2, Search: 0 }, former: {}, other: 0 });
    const [question] = survey.questions;
    await patch(id, [{ ...question, ...translated(["Ein Freund", "Suche"]) }]);
    await answer(id, { q: "Ein Freund" });
    expect(await figures(id)).toEqual({ now: { Friend: 3, Search: 0 }, former: {}, other: 0 });
  });

  it("has the same figures in a survey that was stored before choices had ids, then and after it is saved", async () => {
    const questions = [single(["Friend", "Search", "Else"], { hasOpenChoice: true })];
    const { id } = await running(questions);
    await service.db.execute(
      sql`update surveys set questions = ${JSON.stringify(questions)}::json, choice_history = null where id = ${id}`,
    );
    service.runtime.surveys.changed(1);
    for (const text of ["Friend", "Search", "Else", "By letter"]) await answer(id, { q: text }, EARLIER);
    const before = { now: { Friend: 1, Search: 1 }, former: {}, other: 2 };
    expect(await figures(id)).toEqual(before);
    const [stored] = (await call("GET", `${id}/`)).questions;
    expect(stored.choice_ids).toEqual(["c0", "c1", "c2"]);
    await patch(id, [{ ...stored, question: "Where from?" }]);
    expect(await figures(id)).toEqual(before);
    await patch(id, [{ ...stored, choices: ["A friend", "Search", "Else"] }]);
    expect(await figures(id)).toEqual({ ...before, now: { "A friend": 1, Search: 1 } });
    expect(await differences()).toEqual([]);
  });

  it("remembers nothing of a draft that nobody has seen", async () => {
    const { id } = await createSurvey(service, {
      questions: [single(["First choice", "Else"], { hasOpenChoice: true })],
    });
    await patch(id, [single(["Friend", "Else"], { hasOpenChoice: true })]);
    await call("POST", `${id}/launch/`);
    await answer(id, { q: "First choice" });
    expect(await figures(id)).toEqual({ now: { Friend: 0 }, former: {}, other: 1 });
  });
});

describe("ids of choices in requests", () => {
  it("are refused where they do not fit", async () => {
    const { id, questions } = await running([single(["Friend", "Search"])]);
    const [question] = questions;
    const [friend] = question.choice_ids;
    const cases: [unknown, RegExp][] = [
      ["x", /must be a list/],
      [{}, /must be a list/],
      [[friend], /as long as choices/],
      [[friend, friend], /differ from each other/],
      [[friend, ""], /texts of 1 to 100/],
      [[friend, 7], /texts of 1 to 100/],
      [[friend, "x".repeat(101)], /texts of 1 to 100/],
      [[friend, "of another question"], /no choice with the id "of another question"/],
    ];
    for (const [choice_ids, message] of cases) {
      const { status, json } = await service.api("PATCH", `${ROOT}${id}/`, {
        questions: [{ ...question, choice_ids }],
      });
      expect([status, json.attr], JSON.stringify(choice_ids)).toEqual([400, "questions"]);
      expect(json.detail).toMatch(message);
    }
    expect((await call("GET", `${id}/`)).questions).toEqual(questions);
    const none = { ...question, choices: [], choice_ids: [] };
    expect((await patch(id, [none])).questions[0]).not.toHaveProperty("choice_ids");
  });

  it("may come along with a copy, and are nothing to SDKs", async () => {
    const { questions } = await running([single(["Friend", "Search"])]);
    const copy = await running(questions);
    expect(copy.questions).toEqual(questions);
    const token = (await service.api("GET", "/api/projects/1/")).json.api_token;
    const feed = await service.api("GET", `/api/surveys/?token=${token}`);
    const fed = feed.json.surveys.find((survey: { id: string }) => survey.id === copy.id);
    expect(fed.questions[0]).not.toHaveProperty("choice_ids");
    expect(fed.questions[0].choices).toEqual(["Friend", "Search"]);
  });
});

describe("random edits and answers", () => {
  const answering = fc.record({
    pick: fc.array(fc.nat(3), { minLength: 1, maxLength: 2 }),
    own: fc.boolean(),
  });
  const editing = fc.record({
    choices: fc.uniqueArray(fc.constantFrom("A", "B", "C", "D"), { minLength: 1, maxLength: 4 }),
    /** Which of the ids so far each choice takes; none makes a new choice. */
    keep: fc.array(fc.option(fc.nat(5)), { minLength: 4, maxLength: 4 }),
    withIds: fc.boolean(),
  });
  type Answering = typeof answering extends fc.Arbitrary<infer T> ? T : never;
  type Editing = typeof editing extends fc.Arbitrary<infer T> ? T : never;

  const multiple = (of: Choices) => ({ ...single([]), type: "multiple_choice", ...of });

  /** A survey with what its figures must say, by ids of choices alone. */
  async function modelled() {
    const made = await running([multiple({ choices: ["A", "B"] })]);
    let question: { choices: string[]; choice_ids: string[] } = made.questions[0];
    const names = new Map<string, string>();
    const picked: Set<string>[] = [];
    let own = 0;
    const learn = () => {
      for (const [i, id] of question.choice_ids.entries()) names.set(id, question.choices[i] ?? "");
    };
    learn();
    /** When the choices got their present texts. */
    async function editedAt(): Promise<Date> {
      const { rows } = await service.db.execute<{ at: string }>(
        sql`select to_json(updated_at) #>> '{}' as at from surveys where id = ${made.id}`,
      );
      return new Date(rows[0]?.at ?? "");
    }
    const countOf = (ids: readonly string[]) => picked.filter((set) => ids.some((id) => set.has(id))).length;
    return {
      id: made.id as string,
      async answer({ pick, own: typed }: Answering) {
        const ids = new Set(pick.map((i) => question.choice_ids[i % question.choice_ids.length] ?? ""));
        const value = [...[...ids].map((id) => names.get(id)), ...(typed ? ["something else"] : [])];
        await answer(made.id, { q: value }, await editedAt());
        picked.push(ids);
        own += typed ? 1 : 0;
      },
      async edit({ choices, keep, withIds }: Editing) {
        const known = [...names.keys()];
        const wanted = choices.map((_, i) => known[keep[i] ?? -1] ?? null);
        const choice_ids = wanted.map((id, i) => (wanted.indexOf(id) === i ? id : null));
        const saved = await patch(made.id, [multiple({ choices, ...(withIds && { choice_ids }) })]);
        question = saved.questions[0];
        learn();
      },
      expected() {
        const gone = [...names.keys()].filter((id) => !question.choice_ids.includes(id));
        const former = [...Map.groupBy(gone, (id) => names.get(id) ?? "")].map(
          ([name, ids]): [string, number] => [name, countOf(ids)],
        );
        return {
          now: Object.fromEntries(question.choice_ids.map((id) => [names.get(id), countOf([id])])),
          former: Object.fromEntries(former.filter(([, count]) => count > 0)),
          other: own,
        };
      },
    };
  }

  it("leave each answer with its choice, in the rollups, in filtered figures and in a recount", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof({ weight: 2, arbitrary: answering }, editing), { minLength: 4, maxLength: 10 }),
        async (steps) => {
          const model = await modelled();
          for (const step of steps) await ("pick" in step ? model.answer(step) : model.edit(step));
          const expected = model.expected();
          expect(await figures(model.id)).toEqual(expected);
          // A condition that holds for every answer: counted from rows instead of read from the rollups.
          const answers = JSON.stringify([{ question_id: "q", operator: "is_set" }]);
          expect(await figures(model.id, { answers })).toEqual(expected);
          for (const { at, count, rows } of figuresIn((await get(model.id, "results")).questions))
            expect([at, (await get(model.id, "responses", rows)).count]).toEqual([at, count]);
          expect(await differences()).toEqual([]);
        },
      ),
      { numRuns: 6 },
    );
  }, 120_000);
});

describe("what an edit does to stored answers", () => {
  const preview = async (id: string, questions: object[]) =>
    (await call("POST", `${id}/preview_questions/`, { questions })).questions;

  it("is said for each choice before it is saved, and is what saving does", async () => {
    const survey = await running([
      single(["Friend", "Search", "Press", "Other"], { hasOpenChoice: true }),
      { id: "why", type: "open", question: "Why?" },
    ]);
    const { id } = survey;
    for (const q of ["Friend", "Friend", "Search", "Press", "By letter", "By letter", "Radio"])
      await answer(id, { q, why: "so" }, EARLIER);
    const [question, why] = survey.questions;
    const [friend, search, press, other] = question.choice_ids;
    const draft = {
      ...question,
      choices: ["Search", "A friend", "By letter", "Other"],
      choice_ids: [search, friend, null, other],
    };
    const effects = await preview(id, [why, draft]);
    const brief = (one: Record<string, unknown>) => [one.change, one.before, one.after, one.answers];
    expect(effects[0]).toMatchObject({ question_id: "q", question_index: 1, change: "kept", answers: 7 });
    expect(effects[0].choices.map(brief)).toEqual([
      ["kept", "Search", "Search", 1],
      ["reworded", "Friend", "A friend", 2],
      ["added", null, "By letter", 2],
      ["removed", "Press", null, 1],
    ]);
    expect(effects[1]).toMatchObject({ question_index: 0, change: "kept", answers: 7, choices: [] });
    expect((await call("GET", `${id}/`)).questions).toEqual(survey.questions);
    await patch(id, [draft, why]);
    expect(await figures(id)).toEqual({
      now: { Search: 1, "A friend": 2, "By letter": 2 },
      former: { Press: 1 },
      other: 1,
    });
    const back = await preview(id, [question]);
    expect(back[0].choices.map(brief)).toEqual([
      ["reworded", "A friend", "Friend", 2],
      ["kept", "Search", "Search", 1],
      ["restored", "Press", "Press", 1],
      ["removed", "By letter", null, 2],
    ]);
    expect(back[1]).toMatchObject({ question_index: null, change: "deleted", answers: 7 });
    expect(press).not.toBe(friend);
  });

  it("is said for another type, another scale and a deleted question", async () => {
    const rating = { id: "rate", type: "rating", display: "number", scale: 10, question: "How likely?" };
    const { id, questions } = await running([rating, single(["8", "No"], { id: "again" })]);
    for (const rate of [2, 8, 9, 11]) await answer(id, { rate, again: "No" }, EARLIER);
    const [likely, again] = questions;
    const [narrowed] = await preview(id, [{ ...likely, scale: 5 }, again]);
    expect(narrowed).toMatchObject({ change: "scale", answers: 4, unreadable: 3 });
    const [chosen, rated] = await preview(id, [
      { ...likely, type: "single_choice", choices: ["8", "9"] },
      { ...again, type: "multiple_choice" },
    ]);
    expect(chosen).toMatchObject({ change: "type", answers: 4, unreadable: 2 });
    expect(rated).toMatchObject({ change: "type", answers: 4, unreadable: 0 });
    const [opened, gone] = await preview(id, [{ ...likely, type: "open" }]);
    expect(opened).toMatchObject({ change: "type", answers: 4, unreadable: 0 });
    expect(gone).toMatchObject({ change: "deleted", answers: 4, question_index: null });
    expect((await preview(id, [])).map(({ change }: { change: string }) => change)).toEqual([
      "deleted",
      "deleted",
    ]);
  });

  it("is refused as saving is", async () => {
    const { id, questions } = await running([single(["Friend", "Search"])]);
    const refused = async (body: unknown) => {
      const { status, json } = await service.api("POST", `${ROOT}${id}/preview_questions/`, body as object);
      return [status, json.attr];
    };
    expect(await refused({ questions: "x" })).toEqual([400, "questions"]);
    expect(await refused({})).toEqual([400, "questions"]);
    expect(await refused({ questions: [{ ...questions[0], choice_ids: ["x", null] }] })).toEqual([
      400,
      "questions",
    ]);
    const missing = await service.api("POST", `${ROOT}${crypto.randomUUID()}/preview_questions/`, {
      questions: [],
    });
    expect(missing.status).toBe(404);
  });
});
