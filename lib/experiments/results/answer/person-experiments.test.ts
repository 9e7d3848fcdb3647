import { afterAll, beforeAll, expect, it } from "vitest";
import { HOUR, metric, START, source, startResults } from "#testing/experiment-results.ts";

let service: Awaited<ReturnType<typeof startResults>>;
beforeAll(async () => {
  service = await startResults();
});
afterAll(() => service.close());

const persons = "/api/projects/1/persons/";
const DAY = 24 * HOUR;
const get = async (path: string) => {
  const { status, json, text } = await service.api("GET", path);
  expect(status, text).toBe(200);
  return json;
};

async function partsOf(distinctId: string) {
  const [person] = (await get(`${persons}?distinct_id=${distinctId}`)).results;
  return (await get(`${persons}${person.id}/experiments/`)).results;
}

/** Somebody in another project. */
async function foreigner(): Promise<string> {
  const { json: other } = await service.api("POST", "/api/projects/", { name: "Elsewhere" });
  await service.api("POST", "/capture/", { api_key: other.api_token, event: "seen", distinct_id: "theirs" });
  const [person] = (await get(`/api/projects/${other.id}/persons/`)).results;
  return person.id;
}

it("says in which experiments a person is, and why they do not count", async () => {
  const metrics = [metric({ metric_type: "funnel", series: [source("paid")] })];
  const made = await service.create({ metrics });
  const flag = made.feature_flag_key;
  const call = (id: string, variant: string, at: number) => ({
    event: "$feature_flag_called",
    id,
    at,
    properties: { $feature_flag: flag, $feature_flag_response: variant },
  });
  await service.send([
    call("ann", "test", 1),
    call("bob", "control", 2),
    call("bob", "test", 3),
    call("early", "test", -5),
    { event: "paid", id: "quiet", at: 4 },
  ]);
  await get(`/api/projects/1/experiments/${made.id}/results/`);
  await service.send([call("late", "test", 6)]);
  const about = { id: made.id, name: "Checkout", status: "running", archived: false };
  const exposed = (hours: number) => new Date(START + hours * HOUR).toISOString().replace("Z", "000Z");
  expect(await partsOf("ann")).toEqual([
    { ...about, variant: "test", first_exposed_at: exposed(1), counts: true, reason: null },
  ]);
  expect(await partsOf("bob")).toEqual([
    { ...about, variant: null, first_exposed_at: exposed(2), counts: false, reason: "multiple_variants" },
  ]);
  const absent = { ...about, variant: null, first_exposed_at: null, counts: false };
  expect(await partsOf("early")).toEqual([{ ...absent, reason: "outside_dates" }]);
  expect(await partsOf("late")).toEqual([{ ...absent, reason: "no_exposure" }]);
  expect(await partsOf("quiet")).toEqual([]);
  // Everybody who is said to count is among those whom the figures count, and nobody else.
  const units = await get(`/api/projects/1/experiments/${made.id}/results/people/?kind=exposed&variant=test`);
  const counted = units.results.map(
    (row: { person: { distinct_ids: string[] } }) => row.person.distinct_ids[0],
  );
  expect(counted.toSorted()).toEqual(["ann", "late"]);
  expect((await partsOf("late"))[0]).toMatchObject({ counts: true, variant: "test" });
});

it("has nothing of experiments that are deleted, nor of people who do not exist or are in another project", async () => {
  const start_date = new Date(START + 2 * DAY).toISOString();
  const made = await service.create({ start_date });
  await service.send([
    {
      event: "$feature_flag_called",
      id: "cleo",
      at: 50,
      properties: { $feature_flag: made.feature_flag_key, $feature_flag_response: "control" },
    },
  ]);
  expect(await partsOf("cleo")).toHaveLength(1);
  const gone = await service.api("PATCH", `/api/projects/1/experiments/${made.id}/`, { deleted: true });
  expect(gone.status, gone.text).toBe(200);
  expect(await partsOf("cleo")).toEqual([]);
  for (const unknown of ["00000000-0000-7000-8000-000000000000", "999999", "cleo", await foreigner()])
    expect((await service.api("GET", `${persons}${unknown}/experiments/`)).status).toBe(404);
});
