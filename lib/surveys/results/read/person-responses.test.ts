import { afterAll, beforeAll, expect, it } from "vitest";
import { eventOf } from "#testing/events.ts";
import { type Service, startService } from "#testing/service.ts";
import { numberOf, surveyWithResponses } from "#testing/survey-responses.ts";
import { ROOT } from "#testing/surveys.ts";

let service: Service;
let surveyId: string;
const persons = "/api/projects/1/persons/";
beforeAll(async () => {
  service = await startService();
  ({ id: surveyId } = await surveyWithResponses(service, { name: "First" }));
  const second = await surveyWithResponses(service, { name: "Second" }, 100);
  await service.runtime.events.write(1, [
    eventOf("$create_alias", `${surveyId} bob`, { alias: `${second.id} bob` }),
  ]);
});
afterAll(() => service.close());

const get = async (path: string) => {
  const { status, json, text } = await service.api("GET", path);
  expect(status, text).toBe(200);
  return json;
};
const read = (id: string, query = "") => get(`${persons}${id}/survey_responses/${query}`);

it("has exactly a person's rows of each survey's responses, newest first", async () => {
  const everybody = await get(`${persons}?limit=100`);
  const of = await get(`${ROOT}${surveyId}/responses/`);
  let found = 0;
  for (const { id } of everybody.results) {
    const { count, results } = await read(id);
    expect(results).toHaveLength(count);
    const moments = results.map((row: { timestamp: string }) => row.timestamp);
    expect(moments).toEqual(moments.toSorted().reverse());
    const mine = of.results.filter((row: { person: { id: string } | null }) => row.person?.id === id);
    const here = results.filter((row: { survey: { id: string } }) => row.survey.id === surveyId);
    expect(here).toEqual(mine.map((row: object) => ({ survey: { id: surveyId, name: "First" }, ...row })));
    found += here.length;
  }
  expect(found).toBe(of.count);
});

it("says what was seen and not answered, by the same counts as the survey's figures", async () => {
  const everybody = await get(`${persons}?limit=100`);
  const sums = { shown: 0, dismissed: 0, left: 0, abandoned: 0 };
  for (const { id } of everybody.results)
    for (const survey of (await read(id)).surveys)
      if (survey.id === surveyId)
        for (const name of ["shown", "dismissed", "left", "abandoned"] as const) sums[name] += survey[name];
  for (const [event, sum] of Object.entries(sums))
    expect([event, (await get(`${ROOT}${surveyId}/responses/?event=${event}`)).count]).toEqual([event, sum]);
});

/** Somebody in another project. */
async function foreigner(): Promise<string> {
  const { json: other } = await service.api("POST", "/api/projects/", { name: "Elsewhere" });
  await service.api("POST", "/capture/", { api_key: other.api_token, event: "seen", distinct_id: "theirs" });
  const [person] = (await get(`/api/projects/${other.id}/persons/`)).results;
  return person.id;
}

it("is paged, and keeps responses to surveys that were deleted", async () => {
  const [{ id }] = (await get(`${persons}?distinct_id=${encodeURIComponent(`${surveyId} bob`)}`)).results;
  const all = await read(id);
  expect(all.count).toBe(4);
  const seen: number[] = [];
  for (let address = `${persons}${id}/survey_responses/?limit=1`; address; ) {
    const page = await get(address);
    seen.push(...page.results.map(numberOf));
    address = page.next ? page.next.replace("http://switchyard.test", "") : "";
  }
  expect(seen).toEqual(all.results.map(numberOf));
  const other = all.surveys.find((survey: { name: string }) => survey.name === "Second");
  expect((await service.api("DELETE", `${ROOT}${other.id}/`)).status).toBe(204);
  const after = await read(id);
  expect(after.count).toBe(all.count);
  expect(after.surveys.find((survey: { id: string }) => survey.id === other.id).name).toBeNull();
});

it("is empty for somebody who saw no survey, and 404 for nobody", async () => {
  await service.runtime.events.write(1, [eventOf("signed up", "quiet")]);
  const [{ id }] = (await get(`${persons}?distinct_id=quiet`)).results;
  expect(await read(id)).toEqual({ count: 0, next: null, previous: null, results: [], surveys: [] });
  for (const unknown of ["00000000-0000-7000-8000-000000000000", "999999", "quiet", await foreigner()])
    expect((await service.api("GET", `${persons}${unknown}/survey_responses/`)).status).toBe(404);
});
