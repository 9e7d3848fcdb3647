import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "#testing/service.ts";
import { numberOf, surveyWithResponses, uuidNamed } from "#testing/survey-responses.ts";
import { send } from "#testing/survey-results.ts";
import { createSurvey, ROOT } from "#testing/surveys.ts";

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
    const { id } = await createSurvey(service, { questions: [{ id: "q", type: "open", question: "Q" }] });
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
    const { id } = await createSurvey(service, {
      name: "  Ça & 100% --  ok!  ",
      questions: [question("a", "Why?"), question("b", "Who?"), question("c", "Why?")],
    });
    const { text, headers } = await exported(id);
    expect(lines(text)[0]?.slice(8)).toEqual(["Why? (1)", "Who?", "Why? (3)"]);
    expect(headers.get("content-disposition")).toMatch(/filename="[a-z0-9-]+-responses\.csv"$/);
    expect((await exported(id, { format: "json" })).json).toEqual([]);
  });

  it("has all responses where there are more than are read at once", async () => {
    const { id } = await createSurvey(service, { questions: [{ id: "q", type: "open", question: "Q" }] });
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
