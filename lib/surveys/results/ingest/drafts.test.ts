import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, it } from "vitest";
import { verify } from "#lib/app/rollups.ts";
import { type Service, startService } from "#testing/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const surveys = "/api/projects/1/surveys/";

async function tryOut(survey: string, event: string, properties: object = {}): Promise<void> {
  const sent = {
    event,
    distinct_id: "ann",
    uuid: uuidv7(),
    properties: { $survey_id: survey, ...properties },
  };
  const reply = await service.api("POST", "/batch", { api_key: service.token, batch: [sent] }, { key: null });
  expect(reply.status, reply.text).toBe(200);
}

const figuresOf = async (survey: string) => {
  const { stats } = (await service.api("GET", `${surveys}${survey}/stats/`)).json;
  return [stats["survey shown"].total_count, stats["survey sent"].total_count];
};

it("what arrives before a survey is launched is not counted, and what arrives afterwards is", async () => {
  const body = { name: "Why", type: "popover", questions: [{ type: "open", question: "Why?" }] };
  const { id } = (await service.api("POST", surveys, body)).json;
  await tryOut(id, "survey shown");
  await tryOut(id, "survey sent", { $survey_response: "A trial" });
  expect(await figuresOf(id)).toEqual([0, 0]);
  expect((await service.api("GET", `${surveys}${id}/responses/`)).json.results).toEqual([]);

  await service.api("PATCH", `${surveys}${id}/`, { start_date: new Date().toISOString() });
  await tryOut(id, "survey shown");
  await tryOut(id, "survey sent", { $survey_response: "An answer" });
  expect(await figuresOf(id)).toEqual([1, 1]);
  // The trial is still among what the person did, and says which survey it was for.
  const { results } = (await service.api("GET", "/api/projects/1/events/?distinct_id=ann")).json;
  const trial = results.find((each: { properties: object }) => "$draft_survey_id" in each.properties);
  expect(results).toHaveLength(4);
  expect(trial.properties).toMatchObject({ $draft_survey_id: id });
  expect((await verify(service.db)).filter(({ differences }) => differences !== 0)).toEqual([]);
});

it("events of surveys that nobody knows, and other events, stay as they are", async () => {
  const unknown = uuidv7();
  await tryOut(unknown, "survey shown");
  await tryOut(unknown, "opened");
  const { results } = (await service.api("GET", "/api/projects/1/events/?distinct_id=ann&limit=2")).json;
  expect(results.map((each: { properties: { $survey_id: string } }) => each.properties.$survey_id)).toEqual([
    unknown,
    unknown,
  ]);
});
