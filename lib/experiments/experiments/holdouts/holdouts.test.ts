import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createExperiment, done, FLAGS, ROOT } from "#testing/experiments.ts";
import { type Service, startService } from "#testing/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const HOLDOUTS = "/api/projects/1/experiment_holdouts/";
const share = (rollout_percentage: unknown) => ({ properties: [], rollout_percentage });
const pro = { key: "plan", type: "person", value: "pro", operator: "exact" };
const make = (filters: unknown, more = {}) =>
  done(service.api("POST", HOLDOUTS, { name: "Held out", filters, ...more }));
const patch = (id: number, body: unknown) => done(service.api("PATCH", `${HOLDOUTS}${id}/`, body));
const retrieve = (id: number) => done(service.api("GET", `${ROOT}${id}/`));
const logOf = async (id: number) =>
  (await done(service.api("GET", `/api/projects/1/activity_log/?scope=ExperimentHoldout&item_id=${id}`)))
    .results;

describe("the flag of an experiment with a holdout", () => {
  it.each([
    ["one share of everybody", [share(10)], { exclusion_percentage: 10 }],
    ["nobody", [share(0)], { exclusion_percentage: 0 }],
    ["everybody", [share(100)], { exclusion_percentage: 100 }],
    ["conditions: only the older form knows them", [{ properties: [pro], rollout_percentage: 10 }], null],
    ["several condition sets: only the older form knows them", [share(10), share(20)], null],
  ])("says it for %s", async (_, filters, today) => {
    const holdout = await make(filters);
    expect(holdout.filters).toEqual(filters.map((group) => ({ ...group, variant: `holdout-${holdout.id}` })));
    const made = await createExperiment(service, { holdout_id: holdout.id });
    expect(made.feature_flag.filters.holdout_groups).toEqual(holdout.filters);
    expect(made.feature_flag.filters.holdout ?? null).toEqual(today && { id: holdout.id, ...today });
  });

  it("follows new filters, a new name leaves it alone", async () => {
    const holdout = await make([share(10)]);
    const first = await createExperiment(service, { holdout_id: holdout.id });
    const second = await createExperiment(service, { holdout_id: holdout.id });
    const other = await createExperiment(service);
    expect(await patch(holdout.id, { name: "Renamed", filters: holdout.filters })).toMatchObject({
      name: "Renamed",
      filters: holdout.filters,
    });
    expect((await retrieve(first.id)).feature_flag.version).toBe(1);
    await patch(holdout.id, { filters: [share(25)] });
    for (const { id } of [first, second])
      expect((await retrieve(id)).feature_flag).toMatchObject({
        version: 2,
        filters: { holdout: { id: holdout.id, exclusion_percentage: 25 } },
      });
    expect((await retrieve(other.id)).feature_flag.version).toBe(1);
    const log = await done(service.api("GET", `${FLAGS}${first.feature_flag.id}/activity/`));
    expect(log.results[0]).toMatchObject({ activity: "updated" });
  });

  it("of a deleted experiment stays as it was", async () => {
    const holdout = await make([share(10)]);
    const made = await createExperiment(service, { holdout_id: holdout.id });
    await done(service.api("PATCH", `${ROOT}${made.id}/`, { deleted: true }));
    await patch(holdout.id, { filters: [share(25)] });
    const flag = await done(service.api("GET", `${FLAGS}${made.feature_flag.id}/`));
    expect(flag).toMatchObject({ version: 1, filters: { holdout: { exclusion_percentage: 10 } } });
  });

  it("is on its own again when the holdout is deleted, which has to wait while it runs", async () => {
    const holdout = await make([share(10)]);
    const start_date = "2026-01-05T00:00:00Z";
    const made = await createExperiment(service, { name: "Runs", holdout_id: holdout.id, start_date });
    const refused = await service.api("DELETE", `${HOLDOUTS}${holdout.id}/`);
    expect([refused.status, refused.json.code]).toEqual([409, "conflict"]);
    expect(refused.json.detail).toContain('"Runs"');
    expect((await retrieve(made.id)).feature_flag).toMatchObject({ version: 1, filters: { holdout: {} } });

    await done(service.api("PATCH", `${ROOT}${made.id}/`, { end_date: "2026-01-09T00:00:00Z" }));
    await done(service.api("DELETE", `${HOLDOUTS}${holdout.id}/`));
    const after = await retrieve(made.id);
    expect(after).toMatchObject({ holdout: null, holdout_id: null, feature_flag: { version: 2 } });
    expect(after.feature_flag.filters).toMatchObject({ holdout_groups: null });
    expect(after.feature_flag.filters).not.toHaveProperty("holdout");
  });
});

it("its list names the experiments that use each", async () => {
  const [used, unused] = [await make([share(10)]), await make([share(20)])];
  const draft = await createExperiment(service, { name: "Draft", holdout_id: used.id });
  const gone = await createExperiment(service, { name: "Gone", holdout_id: used.id });
  await done(service.api("PATCH", `${ROOT}${gone.id}/`, { deleted: true }));
  const start_date = "2026-01-05T00:00:00Z";
  const live = await createExperiment(service, { name: "Live", holdout_id: used.id, start_date });
  const { results } = await done(service.api("GET", `${HOLDOUTS}?limit=2`));
  expect(results).toEqual([
    { ...unused, experiments: [] },
    {
      ...used,
      experiments: [
        { id: live.id, name: "Live", status: "running" },
        { id: draft.id, name: "Draft", status: "draft" },
      ],
    },
  ]);
});

it.each([
  ["no condition set", [], "A holdout needs a condition set."],
  ["a share below 0", [share(-1)], "Each condition set needs a rollout_percentage from 0 to 100."],
  ["a share above 100", [share(100.5)], "Each condition set needs a rollout_percentage from 0 to 100."],
  [
    "a share of null",
    [share(10), share(null)],
    "Each condition set needs a rollout_percentage from 0 to 100.",
  ],
])("%s is refused, when it is made and when it is changed", async (_, filters, detail) => {
  const holdout = await make([share(10)]);
  for (const reply of [
    await service.api("POST", HOLDOUTS, { name: "Never", filters }),
    await service.api("PATCH", `${HOLDOUTS}${holdout.id}/`, { filters }),
  ])
    expect([reply.status, reply.json.attr, reply.json.detail]).toEqual([400, "filters", detail]);
  expect(await done(service.api("GET", `${HOLDOUTS}${holdout.id}/`))).toEqual(holdout);
});

it("conditions that no flag could evaluate are refused, with their place", async () => {
  const filters = [
    share(10),
    { properties: [{ ...pro, type: "cohort", key: "id", value: 4242 }], rollout_percentage: 5 },
  ];
  const { status, json } = await service.api("POST", HOLDOUTS, { name: "Never", filters });
  expect([status, json.attr]).toEqual([400, "filters"]);
  expect(json.detail).toContain("4242");
});

it("what was done to a holdout is recorded in the log; what changes nothing is not", async () => {
  const holdout = await make([share(10)], { description: "Long-term" });
  await patch(holdout.id, { name: "Held out", description: "Long-term" });
  await patch(holdout.id, { description: "Longer", filters: [share(20)] });
  await done(service.api("DELETE", `${HOLDOUTS}${holdout.id}/`));
  const log = await logOf(holdout.id);
  expect(log.map(({ activity }: { activity: string }) => activity)).toEqual([
    "deleted",
    "updated",
    "created",
  ]);
  expect(log[1]).toMatchObject({
    detail: {
      name: "Held out",
      changes: [
        { field: "description", before: "Long-term", after: "Longer" },
        { field: "filters", after: [{ rollout_percentage: 20, variant: `holdout-${holdout.id}` }] },
      ],
    },
  });
});

it("there is none of an unknown or deleted id", async () => {
  const holdout = await make([share(10)]);
  await done(service.api("DELETE", `${HOLDOUTS}${holdout.id}/`));
  for (const id of [holdout.id, 987_654])
    for (const [method, body] of [["GET"], ["DELETE"], ["PATCH", { name: "Ghost" }]] as const)
      expect((await service.api(method, `${HOLDOUTS}${id}/`, body)).status).toBe(404);
});

it("they are listed a page at a time, the newest first", async () => {
  const [older, newer] = [await make([share(1)]), await make([share(2)])];
  const page = await done(service.api("GET", `${HOLDOUTS}?limit=1&offset=1`));
  expect(page.results).toMatchObject([older]);
  expect(page.count).toBeGreaterThanOrEqual(2);
  expect(page.previous).toEqual(expect.any(String));
  expect((await done(service.api("GET", `${HOLDOUTS}?limit=1`))).results).toMatchObject([newer]);
});
