import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launch, visit } from "#testing/hosted-surveys.ts";
import { type Service, startService } from "#testing/service.ts";
import { numberOf, surveyWithResponses, uuidNamed } from "#testing/survey-responses.ts";
import { send } from "#testing/survey-results.ts";
import { launchSurvey, ROOT } from "#testing/surveys.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const exported = async (id: string, query: Record<string, string> = {}) => {
  const reply = await service.api("GET", `${ROOT}${id}/export/?${new URLSearchParams(query)}`);
  expect(reply.status, reply.text).toBe(200);
  return reply;
};

/** The fields of lines without quotes. */
const lines = (text: string) => {
  expect(text.endsWith("\r\n")).toBe(true);
  return text
    .slice(0, -2)
    .split("\r\n")
    .map((line) => line.split(","));
};

describe("an exported file", () => {
  it("has a line a response, with its answers as they are counted", async () => {
    const { id } = await surveyWithResponses(service, { name: "What people say" });
    const { headers, text } = await exported(id);
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(headers.get("content-disposition")).toBe('attachment; filename="what-people-say-responses.csv"');
    expect(headers.get("cache-control")).toBe("no-store");
    const [head = [], ...rows] = lines(text);
    expect(head).toEqual([
      "response_id",
      "time",
      "person",
      "distinct_id",
      "iteration",
      "completed",
      "seconds",
      "path",
      "How likely are you to recommend us?",
      "Where do you use it?",
      "What do you use?",
      "Why?",
    ]);
    const withoutPerson = rows.map((cells) => cells.filter((_, i) => i !== 2).join());
    expect(withoutPerson).toEqual([
      `${uuidNamed(14)},2026-02-04T11:40:00.000000Z,${id} eve,,true,600,1 > 2 > 3 > 4,7,By letter,Nothing; Experiments,`,
      `${uuidNamed(11)},2026-02-04T10:00:00.000000Z,${id} bob,1,true,,1 > 3 > 4,9,,,50% of_f`,
      `${uuidNamed(10)},2026-02-03T10:00:00.000000Z,${id} dee,,false,,1 > 2,5,,,`,
      `${uuidNamed(9)},2026-02-02T10:00:00.000000Z,${id} bob,1,true,,1 > 3 > 4,10,,Flags,"Great, ""quick"""`,
      `${uuidNamed(8)},2026-02-01T10:01:00.500000Z,${id} ann,,true,60.5,1 > 2 > 3 > 4,3,Web,Flags; Surveys,'=Too slow`,
    ]);
    const json = await exported(id, { format: "json", event: "completed", date_from: "2026-02-02" });
    expect(json.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(json.headers.get("content-disposition")).toContain("what-people-say-responses.json");
    expect(json.json.map(numberOf)).toEqual([14, 11, 9]);
    for (const event of ["shown", "dismissed", "left", "abandoned"]) {
      const { status, json } = await service.api("GET", `${ROOT}${id}/export/?event=${event}`);
      expect([status, json.attr]).toEqual([400, "event"]);
    }
  });

  it("cannot run anything in a spreadsheet, and leaves numbers as they are", async () => {
    const { id } = await launchSurvey(service, { questions: [{ id: "q", type: "open", question: "Q" }] });
    const said: [unknown, string][] = [
      ["=1", "'=1"],
      ["  =1", "'=1"],
      ["-1.5", "-1.5"],
      ['a"b', '"a""b"'],
      [{ a: 1 }, '"{""a"":1}"'],
      [["a", "b"], "a; b"],
      [0, "0"],
      [false, "false"],
    ];
    await send(
      service,
      id,
      said.map(([q], i) => ({ event: "survey sent", person: "p", day: 1, minute: i, answers: { q } })),
    );
    const { text } = await exported(id);
    const cells = text
      .slice(0, -2)
      .split("\r\n")
      .slice(1)
      .map((line) => line.slice(line.indexOf(",true,,1,") + 9));
    expect(cells.toReversed()).toEqual(said.map(([, cell]) => cell));
  });

  it("tells apart questions with the same text by their places", async () => {
    const question = (id: string, text: string) => ({ id, type: "open", question: text });
    const { id } = await launchSurvey(service, {
      name: "  Ça & 100% --  ok!  ",
      questions: [question("a", "Why?"), question("b", "Who?"), question("c", "Why?")],
    });
    const { text, headers } = await exported(id);
    expect(lines(text)[0]?.slice(8)).toEqual(["Why? (1)", "Who?", "Why? (3)"]);
    expect(headers.get("content-disposition")).toMatch(/filename="[a-z0-9-]+-responses\.csv"$/);
    expect((await exported(id, { format: "json" })).json).toEqual([]);
  });

  it("for analysis has a column for each choice, and a codebook that explains every value", async () => {
    const { id } = await launchSurvey(service, {
      questions: [
        { id: "n", type: "rating", scale: 3, display: "emoji", question: "How?", lowerBoundLabel: "Bad" },
        {
          id: "s",
          type: "single_choice",
          question: "Why?",
          choices: ["Price", "Other"],
          choice_ids: ["p", "x"],
          hasOpenChoice: true,
        },
        {
          id: "m",
          type: "multiple_choice",
          question: "Which?",
          choices: ["A; a", "B"],
          choice_ids: ["a", "b"],
        },
        { id: "o", type: "open", question: "Else?" },
      ],
    });
    const answers = [
      { n: 3, s: "Price", m: ["A; a", "B"], o: "Well, yes" },
      { n: 9, s: "My own", m: ["B", "Mine"] },
      { n: 1 },
    ];
    await send(
      service,
      id,
      answers.map((given, i) => ({ event: "survey sent", person: "p", day: 1, minute: i, answers: given })),
    );
    const { text, headers } = await exported(id, { format: "coded_csv" });
    expect(headers.get("content-disposition")).toContain("-coded-responses.csv");
    const [head = "", ...rows] = text.trimEnd().split("\r\n");
    expect(head.split(",").slice(8)).toEqual([
      "q1",
      "q2",
      "q2_text",
      "q3_a",
      "q3_b",
      "q3_other",
      "q3_text",
      "q4",
    ]);
    const ends = rows.map((row) => /,((?:[^,]*,){7}(?:"[^"]*"|[^,"]*))$/.exec(row)?.[1]);
    expect(ends).toEqual(["1,,,,,,,", ",other,My own,0,1,1,Mine,", '3,p,,1,1,0,,"Well, yes"']);

    const book = lines((await exported(id, { format: "codebook" })).text);
    expect(book[0]).toEqual(["column", "question_id", "question", "type", "value", "meaning"]);
    expect(
      book.slice(1).map(([column, question, , , value, meaning]) => [column, question, value, meaning]),
    ).toEqual([
      ["q1", "n", "1", "Bad"],
      ["q1", "n", "2", "2"],
      ["q1", "n", "3", "3"],
      ["q2", "s", "p", "Price"],
      ["q2", "s", "other", "Another answer"],
      ["q2_text", "s", "", "The answer in own words"],
      ["q3_a", "m", "1", "A; a"],
      ["q3_a", "m", "0", "Not: A; a"],
      ["q3_b", "m", "1", "B"],
      ["q3_b", "m", "0", "Not: B"],
      ["q3_other", "m", "1", "Another answer"],
      ["q3_other", "m", "0", "Not: Another answer"],
      ["q3_text", "m", "", "The answer in own words"],
      ["q4", "o", "", "The answer as it was given"],
    ]);
  });

  it("has the hidden fields of addresses as columns", async () => {
    const survey = await launch(service, [{ id: "q", type: "open", question: "Q" }]);
    for (const query of ["?utm_source=May mail&seats=3", "?utm_source==1", ""])
      await (await visit(service, survey.id, query)).send({ answer: "Yes" });
    for (const format of ["csv", "coded_csv"]) {
      const [head = [], ...rows] = lines((await exported(survey.id, { format })).text);
      expect(head.slice(-2)).toEqual(["seats", "utm_source"]);
      expect(rows.map((cells) => cells.slice(-2).join()).sort()).toEqual([",", ",'=1", "3,May mail"]);
    }
    const { json } = await exported(survey.id, { format: "json" });
    expect(json.map(({ fields }: { fields: object }) => fields)).toContainEqual({
      seats: 3,
      utm_source: "May mail",
    });
  });

  it("has all responses where there are more than are read at once", async () => {
    const { id } = await launchSurvey(service, { questions: [{ id: "q", type: "open", question: "Q" }] });
    const count = 1_003;
    await send(
      service,
      id,
      // Several of the same moment.
      Array.from({ length: count }, (_, i) => ({
        event: "survey sent" as const,
        person: `p${i % 5}`,
        day: 1,
        minute: Math.floor(i / 4),
        answers: { q: `a${i}` },
      })),
    );
    const { text } = await exported(id);
    const answers = lines(text)
      .slice(1)
      .map((cells) => cells.at(-1));
    expect([answers.length, new Set(answers).size]).toEqual([count, count]);
    const { json } = await exported(id, { format: "json" });
    expect(new Set(json.map(({ uuid }: { uuid: string }) => uuid)).size).toBe(count);
  });
});
