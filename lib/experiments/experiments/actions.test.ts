import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createExperiment, createFlag, done, FLAGS, meanOf, ROOT } from "#testing/experiments.ts";
import { type Service, startService } from "#testing/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const HOLDOUTS = "/api/projects/1/experiment_holdouts/";
const SAVED = "/api/projects/1/experiment_saved_metrics/";
const post = (path: string, body?: unknown) => done(service.api("POST", path, body));
const patch = (path: string, body: unknown) => done(service.api("PATCH", path, body));
const ids = (page: { results: { id: number }[] }) => page.results.map(({ id }) => id);
const list = async (query: string) => ids(await done(service.api("GET", `${ROOT}?${query}`)));

/** Events as SDKs send them, stored when this returns. */
async function capture(batch: Record<string, unknown>[]) {
  const answer = await service.api("POST", "/batch/", { api_key: service.token, batch }, { key: null });
  expect(answer.status, answer.text).toBe(200);
}

describe("the list", () => {
  const made: Record<string, number> = {};
  beforeAll(async () => {
    const make = async (name: string, fields: Record<string, unknown>) => {
      const { id } = await createExperiment(service, { name: `listed ${name}`, ...fields });
      made[name] = id;
    };
    await make("Draft", {});
    await make("running", { start_date: "2026-01-05T00:00:00Z" });
    await make("Stopped", { start_date: "2026-01-01T00:00:00Z", end_date: "2026-01-03T00:00:00Z" });
    await make("paused", { start_date: "2026-01-02T00:00:00Z" });
    await make("archived", { archived: true });
    const paused = await done(service.api("GET", `${ROOT}${made.paused}/`));
    await patch(`${FLAGS}${paused.feature_flag.id}/`, { active: false });
  });

  it.each([
    ["status=draft", ["Draft"]],
    ["status=Running", ["running"]],
    ["status=paused", ["paused"]],
    ["status=complete", ["Stopped"]],
    ["status=stopped", ["Stopped"]],
    ["status=all", ["paused", "Stopped", "running", "Draft"]],
    ["status=nonsense", ["paused", "Stopped", "running", "Draft"]],
    ["archived=true", ["archived"]],
    ["archived=false", ["paused", "Stopped", "running", "Draft"]],
    ["search=LISTED+d", ["Draft"]],
    ["created_by_id=1", ["paused", "Stopped", "running", "Draft"]],
    ["created_by_id=99", []],
    ["order=name", ["Draft", "paused", "running", "Stopped"]],
    ["order=-start_date", ["running", "paused", "Stopped", "Draft"]],
    ["order=duration", ["Stopped", "running", "paused", "Draft"]],
    ["order=status", ["Draft", "paused", "running", "Stopped"]],
    ["order=-created_at&limit=2", ["paused", "Stopped"]],
    ["limit=2&offset=2", ["running", "Draft"]],
  ])("%s", async (query, names) => {
    expect(await list(`search=listed&${query}`)).toEqual(names.map((name) => made[name]));
  });

  it("links to the next and previous page", async () => {
    const page = await done(service.api("GET", `${ROOT}?search=listed&limit=1&offset=1`));
    expect(page).toMatchObject({
      count: 4,
      next: expect.stringContaining("offset=2"),
      previous: expect.any(String),
    });
  });
});

describe("duplicating", () => {
  it("copies the setup, not the outcome", async () => {
    const shared = await post(SAVED, { name: "Shared", query: meanOf("paid") });
    const source = await createExperiment(service, {
      name: "Original",
      description: "Why",
      metrics: [meanOf("paid")],
      exposure_criteria: { filterTestAccounts: true },
      stats_config: { method: "frequentist" },
      parameters: { minimum_detectable_effect: 5 },
      saved_metrics_ids: [{ id: shared.id, metadata: { type: "secondary" } }],
      start_date: "2026-01-05T00:00:00Z",
      end_date: "2026-01-09T00:00:00Z",
      conclusion: "won",
      archived: true,
    });
    const copy = await service.api("POST", `${ROOT}${source.id}/duplicate/`);
    expect(copy.status).toBe(200);
    expect(copy.json).toMatchObject({
      name: "Original (Copy)",
      description: "Why",
      feature_flag: { id: source.feature_flag.id },
      parameters: source.parameters,
      stats_config: { method: "frequentist" },
      exposure_criteria: source.exposure_criteria,
      metrics: [{ uuid: source.metrics[0].uuid }],
      saved_metrics: [{ saved_metric: shared.id, metadata: { type: "secondary" }, name: "Shared" }],
      start_date: null,
      end_date: null,
      conclusion: null,
      archived: false,
      status: "draft",
    });
    expect((await post(`${ROOT}${source.id}/duplicate/`)).name).toBe("Original (Copy) 1");
    const named = await post(`${ROOT}${source.id}/duplicate/`, {
      name: "Mine",
      feature_flag_key: "copy-flag",
    });
    expect(named).toMatchObject({ name: "Mine", feature_flag_key: "copy-flag" });
  });

  it("needs an eligible flag", async () => {
    const source = await createExperiment(service);
    await createFlag(service, "no-control", ["a", "b"]);
    const answer = await service.api("POST", `${ROOT}${source.id}/duplicate/`, {
      feature_flag_key: "no-control",
    });
    expect([answer.status, answer.json.attr]).toEqual([400, null]);
  });
});

describe("the cohort of exposed people", () => {
  const call = (distinct_id: string, response: string, timestamp: string, key = "seen-flag") => ({
    event: "$feature_flag_called",
    distinct_id,
    timestamp,
    properties: { $feature_flag: key, $feature_flag_response: response },
  });

  it("contains everybody exposed since launch, whichever variant they got", async () => {
    await capture([
      call("ann", "control", "2026-01-06T00:00:00Z"),
      call("bob", "test", "2026-01-07T00:00:00Z"),
      call("bob", "test", "2026-01-08T00:00:00Z"),
      call("early", "test", "2026-01-01T00:00:00Z"),
      call("other", "test", "2026-01-07T00:00:00Z", "another-flag"),
      { event: "paid", distinct_id: "carl", timestamp: "2026-01-07T00:00:00Z", properties: {} },
    ]);
    const experiment = await createExperiment(service, {
      name: "Seen",
      feature_flag_key: "seen-flag",
      start_date: "2026-01-05T00:00:00Z",
    });
    const answer = await service.api(
      "POST",
      `${ROOT}${experiment.id}/create_exposure_cohort_for_experiment/`,
      {},
    );
    expect(answer.status, answer.text).toBe(200);
    const { cohort } = answer.json;
    expect(cohort).toMatchObject({
      name: 'Users exposed to experiment "Seen"',
      is_static: false,
      is_calculating: true,
      experiment_set: [experiment.id],
    });
    expect(cohort.filters.properties).toEqual({
      type: "OR",
      values: [
        {
          type: "OR",
          values: [
            {
              key: "$feature_flag_called",
              type: "behavioral",
              value: "performed_event",
              negation: false,
              event_type: "events",
              explicit_datetime: "2026-01-05T00:00:00+00:00",
              event_filters: [
                { key: "$feature_flag", value: ["seen-flag"], operator: "exact", type: "event" },
              ],
            },
          ],
        },
      ],
    });
    const members = await done(service.api("GET", `/api/projects/1/cohorts/${cohort.id}/persons/`));
    expect(
      members.results.map((person: { distinct_ids: string[] }) => person.distinct_ids[0]).sort(),
    ).toEqual(["ann", "bob"]);
    const counted = await done(service.api("GET", `/api/projects/1/cohorts/${cohort.id}/`));
    expect(counted).toMatchObject({ count: 2, is_calculating: false, experiment_set: [experiment.id] });
    const after = await done(service.api("GET", `${ROOT}${experiment.id}/`));
    expect(after.exposure_cohort).toBe(cohort.id);
    const again = await service.api("POST", `${ROOT}${experiment.id}/create_exposure_cohort_for_experiment/`);
    expect(again.status).toBe(400);
    const log = await done(service.api("GET", `${ROOT}${experiment.id}/activity/`));
    expect(log.results[0].detail.changes[0]).toMatchObject({ field: "exposure_cohort", after: cohort.id });
  });

  it("uses a custom exposure event with its conditions", async () => {
    const paid = (distinct_id: string, plan: string) => ({
      event: "opened page",
      distinct_id,
      timestamp: "2026-01-07T00:00:00Z",
      properties: { plan },
    });
    await capture([paid("dora", "Pro plus"), paid("emil", "free")]);
    const experiment = await createExperiment(service, {
      start_date: "2026-01-05T00:00:00Z",
      parameters: {
        custom_exposure_filter: {
          events: [
            {
              id: "opened page",
              properties: [
                { key: "plan", value: "pro", operator: "icontains", type: "event" },
                { key: "email", value: "x", type: "person" },
              ],
            },
          ],
        },
      },
    });
    const { cohort } = await post(`${ROOT}${experiment.id}/create_exposure_cohort_for_experiment/`);
    expect(cohort.filters.properties.values[0].values[0].event_filters).toHaveLength(1);
    const members = await done(service.api("GET", `/api/projects/1/cohorts/${cohort.id}/persons/`));
    expect(members.results.map((person: { distinct_ids: string[] }) => person.distinct_ids[0])).toEqual([
      "dora",
    ]);
  });

  it("is refused for a draft and for an action without a number", async () => {
    const draft = await createExperiment(service);
    expect(
      (await service.api("POST", `${ROOT}${draft.id}/create_exposure_cohort_for_experiment/`)).status,
    ).toBe(400);
    const odd = await createExperiment(service, {
      start_date: "2026-01-05T00:00:00Z",
      parameters: { custom_exposure_filter: { actions: [{ id: "one" }] } },
    });
    expect(
      (await service.api("POST", `${ROOT}${odd.id}/create_exposure_cohort_for_experiment/`)).status,
    ).toBe(400);
  });

  it("can be deleted and restored, not written by hand, and no flag can use it", async () => {
    const experiment = await createExperiment(service, { start_date: "2026-01-05T00:00:00Z" });
    const { cohort } = await post(`${ROOT}${experiment.id}/create_exposure_cohort_for_experiment/`);
    const address = `/api/projects/1/cohorts/${cohort.id}/`;
    await patch(address, { deleted: true });
    expect((await patch(address, { deleted: false })).deleted).toBe(false);
    const copied = await service.api("POST", "/api/projects/1/cohorts/", {
      name: "Mine",
      filters: cohort.filters,
    });
    expect(copied.json.code).toBe("behavioral_cohort_found");
    const groups = [
      { properties: [{ key: "id", type: "cohort", value: cohort.id }], rollout_percentage: 100 },
    ];
    const flag = await service.api("POST", FLAGS, { key: "by-behavior", filters: { groups } });
    expect([flag.status, flag.json.code]).toEqual([400, "behavioral_cohort_found"]);
  });
});

describe("whether events carry flags", () => {
  const asks = async (events: unknown) =>
    (
      await done(
        service.api(
          "GET",
          `${ROOT}requires_flag_implementation/?events=${encodeURIComponent(JSON.stringify(events))}`,
        ),
      )
    ).result;

  it("is determined from received events", async () => {
    const now = new Date().toISOString();
    await capture([
      { event: "with", distinct_id: "f", timestamp: now, properties: { "$feature/x": "test" } },
      { event: "without", distinct_id: "f", timestamp: now, properties: { plan: "pro" } },
      {
        event: "long ago",
        distinct_id: "f",
        timestamp: "2026-01-01T00:00:00Z",
        properties: { "$feature/x": "a" },
      },
    ]);
    expect(await asks([{ id: "with" }])).toBe(false);
    expect(await asks([{ id: "without" }])).toBe(true);
    expect(await asks([{ id: "without" }, { id: "with" }])).toBe(false);
    expect(await asks([{ id: "long ago" }])).toBe(true);
    expect(await asks([{ id: null }])).toBe(false);
    expect(await asks([])).toBe(true);
    expect((await done(service.api("GET", `${ROOT}requires_flag_implementation/`))).result).toBe(true);
  });
});

it("lists the properties that events of a name carry", async () => {
  const bought = (amount: unknown, plan: string) => ({
    event: "bought",
    distinct_id: "g",
    timestamp: new Date().toISOString(),
    properties: { amount, plan },
  });
  await capture([bought(5, "pro"), bought(7.5, "pro"), bought(null, "free")]);
  const seen = await done(service.api("GET", `${ROOT}event_properties/?event=bought`));
  expect(seen.sampled).toBe(3);
  expect(seen.results).toEqual(
    expect.arrayContaining([
      { name: "plan", property_type: "String", count: 3, examples: ["pro", "free"] },
      { name: "amount", property_type: "Numeric", count: 2, examples: ["5", "7.5"] },
    ]),
  );
  expect((await done(service.api("GET", `${ROOT}event_properties/?event=never`))).results).toEqual([]);
});

describe("holdouts", () => {
  const ten = [{ properties: [], rollout_percentage: 10 }];

  it("are written to the flag of a new experiment and keep those people out", async () => {
    const holdout = await post(HOLDOUTS, {
      name: "Everybody",
      filters: [{ properties: [], rollout_percentage: 100 }],
    });
    expect(holdout).toMatchObject({
      name: "Everybody",
      description: null,
      filters: [{ properties: [], rollout_percentage: 100, variant: `holdout-${holdout.id}` }],
      created_by: { id: 1 },
    });
    const made = await createExperiment(service, {
      feature_flag_key: "held",
      holdout_id: holdout.id,
      start_date: "2026-01-05T00:00:00Z",
    });
    expect(made).toMatchObject({ holdout_id: holdout.id, holdout: { id: holdout.id, name: "Everybody" } });
    expect(made.feature_flag.filters).toMatchObject({
      holdout_groups: holdout.filters,
      holdout: { id: holdout.id, exclusion_percentage: 100 },
    });
    const value = async () =>
      (
        await done(
          service.api("POST", "/flags/?v=2", { token: service.token, distinct_id: "anybody" }, { key: null }),
        )
      ).flags.held;
    expect((await value()).variant).toBe(`holdout-${holdout.id}`);
    await patch(`${HOLDOUTS}${holdout.id}/`, { filters: [{ properties: [], rollout_percentage: 0 }] });
    expect(["control", "test"]).toContain((await value()).variant);
    await patch(`${ROOT}${made.id}/`, { end_date: "2026-01-09T00:00:00Z" });
    expect((await service.api("DELETE", `${HOLDOUTS}${holdout.id}/`)).status).toBe(204);
    const after = await done(service.api("GET", `${ROOT}${made.id}/`));
    expect(after).toMatchObject({ holdout: null, holdout_id: null });
    expect(after.feature_flag.filters).toMatchObject({ holdout_groups: null });
    expect(after.feature_flag.filters.holdout).toBeUndefined();
  });

  it("of a draft change only the holdout of its flag", async () => {
    const holdout = await post(HOLDOUTS, { name: "Ten", filters: ten });
    const made = await createExperiment(service);
    const held = await patch(`${ROOT}${made.id}/`, { holdout_id: holdout.id });
    expect(held.feature_flag.filters).toEqual({
      ...made.feature_flag.filters,
      holdout_groups: holdout.filters,
      holdout: { id: holdout.id, exclusion_percentage: 10 },
    });
    expect((await patch(`${ROOT}${made.id}/`, { holdout_id: null })).feature_flag.filters).toEqual(
      made.feature_flag.filters,
    );
  });

  it.each([
    ["none", [], "invalid_input"],
    ["a share above 100", [{ properties: [], rollout_percentage: 101 }], "invalid_input"],
    ["no share", [{ properties: [] }], "invalid_input"],
    [
      "a property of no type",
      [{ properties: [{ key: "x", value: 1 }], rollout_percentage: 5 }],
      "invalid_input",
    ],
    ["a text", "ten", "invalid_input"],
  ])("are refused with filters: %s", async (_, filters, code) => {
    const { status, json } = await service.api("POST", HOLDOUTS, { name: "Bad", filters });
    expect([status, json.code, json.attr]).toEqual([400, code, "filters"]);
  });

  it("are listed, newest first", async () => {
    const last = await post(HOLDOUTS, { name: "Last", filters: ten });
    expect(ids(await done(service.api("GET", HOLDOUTS)))[0]).toBe(last.id);
    expect((await done(service.api("GET", `${HOLDOUTS}${last.id}/`))).name).toBe("Last");
  });
});

describe("saved metrics", () => {
  it("are in the record with their fingerprint, and follow a change", async () => {
    const shared = await post(SAVED, { name: "Revenue", query: meanOf("paid"), tags: ["money", "money"] });
    expect(shared).toMatchObject({ tags: ["money"], query: { uuid: expect.any(String) } });
    const made = await createExperiment(service, { saved_metrics_ids: [{ id: shared.id }] });
    const [link] = made.saved_metrics;
    expect(link).toMatchObject({
      experiment: made.id,
      saved_metric: shared.id,
      metadata: { type: "primary" },
      name: "Revenue",
      query: { uuid: shared.query.uuid, fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(made.saved_metrics_ids).toBeNull();
    await patch(`${SAVED}${shared.id}/`, { query: meanOf("refunded") });
    const after = await done(service.api("GET", `${ROOT}${made.id}/`));
    expect(after.saved_metrics[0].query).toMatchObject({
      uuid: shared.query.uuid,
      source: { event: "refunded" },
    });
    expect(after.saved_metrics[0].query.fingerprint).not.toBe(link.query.fingerprint);
    expect((await patch(`${ROOT}${made.id}/`, { saved_metrics_ids: [] })).saved_metrics).toEqual([]);
  });

  it("list the experiments that use them, with their status", async () => {
    const shared = await post(SAVED, { name: "Used", query: meanOf("paid") });
    expect(shared).toMatchObject({ experiment_count: 0, experiments: [] });
    const link = { id: shared.id, metadata: { type: "secondary" } };
    const draft = await createExperiment(service, { saved_metrics_ids: [{ id: shared.id }] });
    const running = await createExperiment(service, {
      saved_metrics_ids: [link],
      start_date: "2026-01-05T00:00:00Z",
    });
    const gone = await createExperiment(service, { saved_metrics_ids: [link] });
    await patch(`${ROOT}${gone.id}/`, { deleted: true });
    expect((await done(service.api("GET", `${SAVED}?search=Used`))).results[0]).toMatchObject({
      experiment_count: 2,
      experiments: [
        { id: running.id, name: running.name, status: "running", type: "secondary" },
        { id: draft.id, name: draft.name, status: "draft", type: "primary" },
      ],
    });
  });

  it("cannot be added beside a metric with the same uuid", async () => {
    const shared = await post(SAVED, { name: "Twin", query: meanOf("paid", { uuid: "twin" }) });
    const made = await createExperiment(service, { metrics: [meanOf("paid", { uuid: "twin" })] });
    const saved_metrics_ids = [{ id: shared.id }];
    const refused = await service.api("PATCH", `${ROOT}${made.id}/`, { saved_metrics_ids });
    expect([refused.status, refused.json.attr]).toEqual([400, "saved_metrics_ids"]);
    const moved = await patch(`${ROOT}${made.id}/`, { saved_metrics_ids, metrics: [] });
    expect(moved.saved_metrics[0].query.fingerprint).toBe(made.metrics[0].fingerprint);
    const back = await service.api("PATCH", `${ROOT}${made.id}/`, { metrics: made.metrics });
    expect([back.status, back.json.attr]).toEqual([400, "saved_metrics_ids"]);
  });

  it("are searched, deleted and restored, and refused if they are not metrics", async () => {
    const shared = await post(SAVED, { name: "Findable", query: meanOf("paid") });
    const made = await createExperiment(service, { saved_metrics_ids: [{ id: shared.id }] });
    expect(ids(await done(service.api("GET", `${SAVED}?search=FINDable`)))).toEqual([shared.id]);
    const address = `${SAVED}${shared.id}/`;
    expect((await service.api("DELETE", address)).status).toBe(204);
    const linked = async () => (await done(service.api("GET", `${ROOT}${made.id}/`))).saved_metrics;
    expect(await linked()).toEqual([]);
    expect(ids(await done(service.api("GET", `${SAVED}?search=FINDable`)))).toEqual([]);
    for (const [method, body] of [["GET"], ["DELETE"], ["PATCH", { name: "Ghost" }]] as const)
      expect((await service.api(method, address, body)).status).toBe(404);
    const refused = await service.api("PATCH", `${ROOT}${made.id}/`, {
      saved_metrics_ids: [{ id: shared.id }],
    });
    expect([refused.status, refused.json.attr]).toEqual([400, "saved_metrics_ids"]);
    expect(await patch(address, { deleted: false })).toMatchObject({ deleted: false, experiment_count: 1 });
    expect(await linked()).toMatchObject([{ saved_metric: shared.id, name: "Findable" }]);
    const bad = await service.api("POST", SAVED, { name: "Bad", query: { kind: "ExperimentMetric" } });
    expect([bad.status, bad.json.attr]).toEqual([400, "query"]);
  });
});
