import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "#testing/service.ts";
import { surveyWithResponses } from "#testing/survey-responses.ts";
import { QUESTIONS, send } from "#testing/survey-results.ts";
import { launchSurvey, ROOT } from "#testing/surveys.ts";

let service: Service;
let id: string;
beforeAll(async () => {
  service = await startService();
  ({ id } = await surveyWithResponses(service));
});
afterAll(() => service.close());

type Step = { step: string; count: number; people: number };

const results = async (survey: string, query: Record<string, string> = {}) => {
  const { status, json, text } = await service.api(
    "GET",
    `${ROOT}${survey}/results/?${new URLSearchParams(query)}`,
  );
  expect(status, text).toBe(200);
  return json;
};
const steps = async (survey: string, query: Record<string, string> = {}) =>
  (await results(survey, query)).funnel.map(({ count, people }: Step) => [count, people]);

const answers = (...list: object[]) => ({ answers: JSON.stringify(list) });

describe("a page of results", () => {
  // Shown, dismissed, left, answered and completed, each with its people.
  it.each<[Record<string, string>, [number, number][]]>([
    [
      {},
      [
        [3, 2],
        [2, 1],
        [1, 1],
        [5, 4],
        [4, 3],
      ],
    ],
    [
      { date_to: "2026-02-01" },
      [
        [2, 2],
        [0, 0],
        [0, 0],
        [1, 1],
        [1, 1],
      ],
    ],
    // Ann answered on the first day: on the fourth she only closed it.
    [
      { date_from: "2026-02-04" },
      [
        [0, 0],
        [1, 1],
        [0, 0],
        [2, 2],
        [2, 2],
      ],
    ],
    [
      { date_from: "2026-02-02", date_to: "2026-02-03" },
      [
        [1, 1],
        [1, 1],
        [1, 1],
        [2, 2],
        [1, 1],
      ],
    ],
    [
      { iteration: "1" },
      [
        [2, 1],
        [0, 0],
        [0, 0],
        [2, 1],
        [2, 1],
      ],
    ],
    [
      { iteration: "0" },
      [
        [1, 1],
        [2, 1],
        [1, 1],
        [3, 3],
        [2, 2],
      ],
    ],
    [
      answers({ question_id: "nps", operator: "gte", value: 9 }),
      [
        [2, 1],
        [0, 0],
        [0, 0],
        [2, 1],
        [2, 1],
      ],
    ],
    [
      answers({ question_id: "nps", operator: "lte", value: 3 }),
      // Ann closed it too, but she answered.
      [
        [1, 1],
        [1, 0],
        [0, 0],
        [1, 1],
        [1, 1],
      ],
    ],
    [
      { date_from: "2026-03-01" },
      [
        [0, 0],
        [0, 0],
        [0, 0],
        [0, 0],
        [0, 0],
      ],
    ],
  ])("under %j has a funnel of %j", async (query, funnel) => {
    expect(await steps(id, query)).toEqual(funnel);
  });

  it.each<[query: Record<string, string>, responses: number]>([
    [{ date_from: "2026-02-02", date_to: "2026-02-03" }, 2],
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
  ])("under %j counts %d responses, and lists as many", async (query, responses) => {
    expect((await results(id, query)).matched).toBe(responses);
    const { json } = await service.api("GET", `${ROOT}${id}/responses/?${new URLSearchParams(query)}`);
    expect(json.count).toBe(responses);
  });

  it("says where its figures come from, and what there is in all", async () => {
    const known = { survey_id: id, total: 5, first_day: "2026-02-01", last_day: "2026-02-04" };
    expect(await results(id)).toMatchObject({ ...known, source: "summaries", filtered: false, matched: 5 });
    expect(await results(id, { iteration: "1" })).toMatchObject({
      ...known,
      source: "rows",
      filtered: true,
      matched: 2,
    });
    expect(await results(id, { date_to: "2026-02-02" })).toMatchObject({
      ...known,
      source: "summaries",
      filtered: false,
      matched: 2,
    });
  });

  it.each([
    [{}],
    [{ date_from: "2026-02-01", date_to: "2026-02-04" }],
    [answers({ question_id: "nps", operator: "is_set" })],
  ])("under %j has the same answers, ways, iterations and times", async (query) => {
    const page = await results(id, query as Record<string, string>);
    const [nps, how, what, why] = page.questions;
    expect(
      [nps, how, what, why].map(({ reached, answered, skipped, left }) => [
        reached.count,
        answered.count,
        skipped.count,
        left.count,
      ]),
    ).toEqual([
      [5, 5, 0, 0],
      // Dee left there.
      [3, 2, 0, 1],
      // Bob skipped it once.
      [4, 3, 1, 0],
      [4, 3, 1, 0],
    ]);
    expect(nps.rating).toMatchObject({ total: 5, mean: { value: 6.8 }, nps: { value: 0 } });
    expect(how.choice.other).toMatchObject({ count: 1, texts: [{ text: "By letter", count: 1 }] });
    expect(what.choice.other).toMatchObject({ count: 1, texts: [{ text: "Nothing", count: 1 }] });
    expect(
      page.edges.map(({ from, to, count, of }: Record<string, unknown>) => [from, to, count, of]),
    ).toEqual([
      ["start", 0, 5, 5],
      [0, 1, 3, 5],
      [0, 2, 2, 5],
      [1, 2, 2, 3],
      [1, "left", 1, 3],
      [2, 3, 4, 4],
      [3, "end", 4, 4],
    ]);
    expect(
      page.iterations.map((one: Record<string, { count: number }>) => [
        one.iteration,
        one.shown?.count,
        one.answered?.count,
        one.completed?.count,
      ])[0],
    ).toEqual([1, 2, 2, 2]);
    expect(page.durations).toMatchObject({ timed: { count: 2 }, median_seconds: 330.25 });
    expect(
      page.over_time.map((day: Record<string, { count: number }>) => [
        day.shown?.count,
        day.dismissed?.count,
        day.answered?.count,
        day.completed?.count,
      ]),
    ).toEqual(
      "answers" in query
        ? [
            [2, 0, 1, 1],
            [1, 0, 1, 1],
            [0, 0, 1, 0],
            [0, 1, 2, 2],
          ]
        : [
            [2, 0, 1, 1],
            [1, 1, 1, 1],
            [0, 0, 1, 0],
            [0, 1, 2, 2],
          ],
    );
  });

  it("counts people who shared a response, or took a completion back, by the responses themselves", async () => {
    const survey = await launchSurvey(service, { questions: QUESTIONS });
    const sent = (person: string, day: number, submission: string, completed: boolean) => ({
      event: "survey sent" as const,
      person,
      day,
      submission,
      completed,
      answers: { nps: 5 },
    });
    await send(service, survey.id, [
      sent("ann", 1, "x", true),
      sent("bob", 3, "x", true),
      sent("cy", 1, "y", true),
      sent("cy", 2, "y", false),
    ]);
    const ofResponses = async (query: Record<string, string> = {}) =>
      (await steps(survey.id, query)).slice(3);
    expect(await ofResponses()).toEqual([
      [2, 2],
      [1, 1],
    ]);
    expect(await ofResponses({ date_to: "2026-02-01" })).toEqual([
      [2, 2],
      [2, 2],
    ]);
    expect(await ofResponses({ date_to: "2026-02-02" })).toEqual([
      [2, 2],
      [1, 1],
    ]);
    expect(await ofResponses({ date_from: "2026-02-02" })).toEqual([
      [2, 2],
      [1, 1],
    ]);
    const { json } = await service.api("GET", `${ROOT}${survey.id}/stats/`);
    expect(json.stats["survey sent"]).toMatchObject({ total_count: 2, unique_persons: 2 });
  });
});

describe("statements", () => {
  const questions = [
    { id: "smile", type: "rating", question: "How was it?", scale: 5 },
    { id: "nps", type: "rating", question: "How likely?", scale: 10 },
    { id: "why", type: "open", question: "Why?" },
  ];
  const read = async (survey: string, question_id: string) =>
    (await service.api("GET", `${ROOT}${survey}/statements/?question_id=${question_id}`)).json;

  it.each([
    ["the first from 0 to 10", questions, "How likely?"],
    [
      "the first of any scale else",
      [questions[0], { ...questions[1], scale: 7 }, questions[2]],
      "How was it?",
    ],
  ])("set texts against a rating: %s", async (_, asked, title) => {
    const survey = await launchSurvey(service, { questions: asked });
    await send(
      service,
      survey.id,
      Array.from({ length: 20 }, (_, i) => ({
        event: "survey sent" as const,
        person: `p${i}`,
        day: 1,
        minute: i,
        answers: {
          smile: i < 10 ? 1 + (i % 2) : 4 + (i % 2),
          nps: i < 10 ? 1 + (i % 2) : 6 + (i % 2),
          why: i < 10 ? "price" : "fine",
        },
      })),
    );
    const { answers, total, notes, most, statements } = await read(survey.id, "why");
    expect([answers, total, notes, most]).toEqual([20, 20, [], 10_000]);
    const difference = statements.find(({ text }: { text: string }) => text.includes("“price” rate lower"));
    expect(difference.text).toContain(`for the others, on “${title}”`);
    expect(difference).toMatchObject({ kind: "difference", count: 10, worded: false });
    const { status, json } = await service.api("GET", `${ROOT}${survey.id}/statements/?question_id=nobody`);
    expect([status, json.attr]).toEqual([400, "question_id"]);
  });
});
