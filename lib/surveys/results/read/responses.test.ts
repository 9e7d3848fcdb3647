import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "#testing/service.ts";
import { numberOf, surveyWithResponses, uuidNamed } from "#testing/survey-responses.ts";
import { launchSurvey, ROOT } from "#testing/surveys.ts";

let service: Service;
let id: string;
beforeAll(async () => {
  service = await startService();
  ({ id } = await surveyWithResponses(service));
});
afterAll(() => service.close());

const get = (what: string, query: Record<string, string> = {}) =>
  service.api("GET", `${ROOT}${id}/${what}/?${new URLSearchParams(query)}`);
const listed = async (query: Record<string, string>) => {
  const { status, json, text } = await get("responses", query);
  expect(status, text).toBe(200);
  return json;
};
const conditions = (...list: object[]) => JSON.stringify(list);

describe("the rows of a figure", () => {
  it.each<[Record<string, string>, number[]]>([
    [{}, [14, 11, 10, 9, 8]],
    [{ event: "completed" }, [14, 11, 9, 8]],
    [{ event: "unfinished" }, [10]],
    [{ unit: "people" }, [14, 11, 10, 8]],
    [{ event: "shown" }, [3, 2, 1]],
    [{ event: "shown", unit: "people" }, [3, 1]],
    [{ event: "dismissed" }, [12, 4]],
    // Ann closed it once, but answered.
    [{ event: "dismissed", unit: "people" }, [4]],
    [{ event: "left" }, [5]],
    [{ event: "left", unit: "people" }, [5]],
    [{ event: "abandoned" }, [6]],
    [{ day: "2026-02-04" }, [14, 11]],
    [{ day: "2026-02-04", day_to: "2026-02-04" }, [14, 11]],
    [{ day: "2026-02-02", day_to: "2026-02-03" }, [10, 9]],
    [{ day_to: "2026-02-03" }, [14, 11, 10, 9, 8]],
    [{ event: "shown", day: "2026-02-02" }, [3]],
    [{ event: "dismissed", unit: "people", day: "2026-02-04" }, [12]],
    [{ of_iteration: "1" }, [11, 9]],
    [{ of_iteration: "0" }, [14, 10, 8]],
    [{ event: "shown", of_iteration: "1" }, [3, 2]],
    [{ event: "shown", of_iteration: "0" }, [1]],
    [{ event: "abandoned", of_iteration: "2" }, [6]],
    [{ event: "abandoned", of_iteration: "1" }, []],
    [{ iteration: "1" }, [11, 9]],
    [{ iteration: "1", event: "shown" }, [3, 2]],
    [{ from: "start", to: "0" }, [14, 11, 10, 9, 8]],
    [{ from: "start", to: "1" }, []],
    [{ from: "start", to: "end" }, []],
    [{ from: "0", to: "1" }, [14, 10, 8]],
    [{ from: "0", to: "2" }, [11, 9]],
    [{ from: "1", to: "left" }, [10]],
    [{ from: "3", to: "end" }, [14, 11, 9, 8]],
    [{ from: "3", to: "left" }, []],
    [{ from: "1" }, [14, 11, 10, 9, 8]],
    [{ to: "1" }, [14, 11, 10, 9, 8]],
    [{ seconds_from: "60.5" }, [14, 8]],
    [{ seconds_from: "60.6" }, [14]],
    [{ seconds_to: "60.5" }, [8]],
    [{ seconds_to: "60.4" }, []],
    [{ seconds_from: "600", seconds_to: "600" }, [14]],
    [{ figure: conditions({ question_id: "nps", operator: "gte", value: 7 }) }, [14, 11, 9]],
    [{ figure: conditions({ question_id: "how", operator: "other" }) }, [14]],
    [{ search: "SLOW" }, [8]],
    [{ search: " fla " }, [9, 8]],
    [{ search: "50%" }, [11]],
    [{ search: "_" }, [11]],
    [{ search: "zzz" }, []],
    [{ search: " " }, [14, 11, 10, 9, 8]],
    [{ archived: "only" }, []],
    [{ archived: "only", event: "shown" }, []],
    [{ date_from: "2026-02-02", date_to: "2026-02-03" }, [10, 9]],
    [{ date_to: "2026-02-01" }, [8]],
    [{ date_from: "2026-02-02", event: "shown" }, [3]],
    [{ answers: conditions({ question_id: "nps", operator: "bucket", value: "promoters" }) }, [11, 9]],
    // What is shown is that of the people who gave the answer.
    [{ event: "shown", answers: conditions({ question_id: "nps", operator: "lte", value: 3 }) }, [1]],
    [
      {
        event: "shown",
        unit: "people",
        answers: conditions({ question_id: "nps", operator: "gte", value: 9 }),
      },
      [3],
    ],
  ])("of %j", async (query, numbers) => {
    const { count, results } = await listed(query);
    expect([count, results.map(numberOf)]).toEqual([numbers.length, numbers]);
  });

  it("come by pages", async () => {
    const { count, next, previous, results } = await listed({ limit: "2", offset: "1" });
    expect([count, results.map(numberOf)]).toEqual([5, [11, 10]]);
    expect([next, previous]).toEqual([
      expect.stringContaining("offset=3"),
      expect.not.stringContaining("offset=1"),
    ]);
    const people = await listed({ unit: "people", limit: "1", offset: "2" });
    expect([people.count, people.results.map(numberOf)]).toEqual([4, [10]]);
    const shown = await listed({ event: "shown", limit: "1", offset: "1" });
    expect([shown.count, shown.results.map(numberOf)]).toEqual([3, [2]]);
  });

  it.each([
    [{ seconds_from: "2", seconds_to: "1" }, "seconds_from"],
    [{ figure: conditions({ question_id: "nobody", operator: "is_set" }) }, "figure"],
    [{ answers: conditions({ question_id: "nobody", operator: "is_set" }) }, "answers"],
    [{ date_from: "2026-02-03", date_to: "2026-02-02" }, "date_from"],
  ])("are refused for %j", async (query, attr) => {
    const { status, json } = await get("responses", query as Record<string, string>);
    expect([status, json.attr]).toEqual([400, attr]);
  });
});

describe("a row", () => {
  const rowOf = async (number: number) => {
    const { json } = await service.api("GET", `${ROOT}${id}/responses/${uuidNamed(number)}/`);
    return json;
  };

  it("of a response has its answers with their questions, its way and its time", async () => {
    const person = { id: expect.any(String), name: expect.any(String) };
    const answer = (question_index: number, question_id: string, type: string, value: unknown) => ({
      question_id,
      question_index,
      question: expect.stringContaining("?"),
      type,
      value,
      counted_as: value,
    });
    const row = await rowOf(8);
    expect(row).toEqual({
      uuid: uuidNamed(8),
      event: "survey sent",
      timestamp: "2026-02-01T10:01:00.500000Z",
      distinct_id: `${id} ann`,
      person,
      iteration: null,
      completed: true,
      archived: false,
      seconds: 60.5,
      path: [0, 1, 2, 3],
      ended: "end",
      answers: [
        answer(0, "nps", "rating", 3),
        answer(1, "how", "single_choice", "Web"),
        answer(2, "what", "multiple_choice", ["Flags", "Surveys"]),
        answer(3, "why", "open", "=Too slow"),
      ],
    });
    expect((await listed({})).results.at(-1)).toEqual(row);
    expect(await rowOf(10)).toMatchObject({
      completed: false,
      seconds: null,
      path: [0, 1],
      ended: "left",
      answers: [{ question_id: "nps" }],
    });
    expect(await rowOf(11)).toMatchObject({ iteration: 1, seconds: null });
    // An earlier state is read as it was.
    expect(await rowOf(7)).toMatchObject({ completed: false, ended: "left", seconds: null });
  });

  it("of another event has no answers", async () => {
    const [row] = (await listed({ event: "left" })).results;
    expect(row).toMatchObject({
      event: "survey dismissed",
      timestamp: "2026-02-03T10:00:00.000000Z",
      completed: null,
      archived: false,
      seconds: null,
      path: [],
      ended: null,
      answers: [],
      iteration: null,
    });
    expect((await listed({ event: "abandoned" })).results[0]).toMatchObject({
      event: "survey abandoned",
      iteration: 2,
    });
  });

  it.each([
    ["GET", ""],
    ["POST", "archive/"],
    ["POST", "unarchive/"],
  ])("that is not there is not found: %s %s", async (method, verb) => {
    for (const number of [1, 99]) {
      const { status } = await service.api(method, `${ROOT}${id}/responses/${uuidNamed(number)}/${verb}`);
      expect(status).toBe(404);
    }
    const other = await launchSurvey(service, {});
    const { status } = await service.api(method, `${ROOT}${other.id}/responses/${uuidNamed(8)}/${verb}`);
    expect(status).toBe(404);
  });

  it("that is archived is out of figures until it is back, and each change is recorded once", async () => {
    const set = async (verb: string) =>
      (await service.api("POST", `${ROOT}${id}/responses/${uuidNamed(9)}/${verb}/`)).json.archived;
    const activity = async () =>
      (await service.api("GET", `${ROOT}${id}/activity/`)).json.results.flatMap(
        ({ detail }: { detail: { changes: { field: string; before: unknown; after: unknown }[] | null } }) =>
          (detail.changes ?? []).flatMap(({ field, before, after }) =>
            field === "archived_response" ? [[before, after]] : [],
          ),
      );
    expect([await set("unarchive"), await activity()]).toEqual([false, []]);
    expect([await set("archive"), await set("archive")]).toEqual([true, true]);
    expect((await listed({ archived: "only" })).results.map(numberOf)).toEqual([9]);
    expect((await listed({ archived: "only", event: "shown" })).results.map(numberOf)).toEqual([9]);
    expect((await listed({})).results.map(numberOf)).toEqual([14, 11, 10, 8]);
    const { json } = await get("results");
    expect([json.matched, json.archived.count, json.total]).toEqual([4, 1, 4]);
    expect([await set("unarchive"), await set("unarchive")]).toEqual([false, false]);
    expect((await listed({})).results.map(numberOf)).toEqual([14, 11, 10, 9, 8]);
    expect(await activity()).toEqual([
      [uuidNamed(9), null],
      [null, uuidNamed(9)],
    ]);
  });
});
