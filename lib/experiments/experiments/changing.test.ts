import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createExperiment,
  createFlag,
  done,
  experimentBody,
  FLAGS,
  meanOf,
  ROOT,
} from "#testing/experiments.ts";
import { type Service, startService } from "#testing/service.ts";
import { selectExperiment } from "./store.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const START = "2026-01-05T00:00:00Z";
const variant = (key: string, rollout_percentage: number) => ({ key, rollout_percentage });
const retrieve = (id: number) => done(service.api("GET", `${ROOT}${id}/`));
const send = (id: number, body: unknown) => service.api("PATCH", `${ROOT}${id}/`, body);
const patch = (id: number, body: unknown) => done(send(id, body));
const logOf = async (id: number) => (await done(service.api("GET", `${ROOT}${id}/activity/`))).results;
const activities = async (id: number) =>
  (await logOf(id)).map(({ activity }: { activity: string }) => activity);

describe("a new experiment", () => {
  it("of type web keeps the share of each variant, another one does not", async () => {
    const feature_flag_variants = [variant("control", 30), variant("test", 70)];
    const stored = async (type: string | null) => {
      const { id } = await createExperiment(service, { type, parameters: { feature_flag_variants } });
      return (await selectExperiment(service.db, 1, id))?.variants;
    };
    expect(await stored("web")).toEqual({
      control: { rollout_percentage: 30 },
      test: { rollout_percentage: 70 },
    });
    expect(await stored("product")).toBeNull();
    expect(await stored(null)).toBeNull();
  });

  it("of type web on a flag that is there keeps the flag's shares", async () => {
    await createFlag(service, "web-flag", ["control", "a"]);
    const { id } = await createExperiment(service, { type: "web", feature_flag_key: "web-flag" });
    expect((await selectExperiment(service.db, 1, id))?.variants).toEqual({
      control: { rollout_percentage: 50 },
      a: { rollout_percentage: 50 },
    });
  });

  it("may be concluded at once; who did it is known", async () => {
    expect(await createExperiment(service, { conclusion: "won" })).toMatchObject({
      conclusion: "won",
      concluded_at: expect.any(String),
      concluded_by: { id: 1 },
    });
    expect(await createExperiment(service)).toMatchObject({ concluded_at: null, concluded_by: null });
  });

  it("names its flag after itself, and says so in the flag's log", async () => {
    const made = await createExperiment(service, { name: "Checkout" });
    const flag = await done(service.api("GET", `${FLAGS}${made.feature_flag.id}/`));
    expect(flag.name).toBe("Feature flag of the experiment Checkout");
    const log = await done(service.api("GET", `${FLAGS}${flag.id}/activity/`));
    expect(log.results).toMatchObject([{ activity: "created" }]);
    expect(await activities(made.id)).toEqual(["created"]);
  });

  it("on a flag that cannot carry it says why", async () => {
    await createFlag(service, "late-control", ["a", "control"]);
    await createFlag(service, "only-control", ["control"]);
    const refused = async (feature_flag_key: string) => {
      const { status, json } = await service.api("POST", ROOT, experimentBody({ feature_flag_key }));
      expect(status).toBe(400);
      return json.detail;
    };
    expect(await refused("late-control")).toContain("Its first variant must have the key control.");
    expect(await refused("only-control")).toContain("at least two variants");
  });
});

describe("the log", () => {
  it("tells updates, deletions and restorations apart, and nothing of what changes nothing", async () => {
    const made = await createExperiment(service, { metrics: [meanOf("paid")] });
    await patch(made.id, { name: made.name, metrics: made.metrics });
    await patch(made.id, { description: "Why" });
    await patch(made.id, { deleted: true });
    await patch(made.id, { deleted: false });
    expect(await activities(made.id)).toEqual(["restored", "deleted", "updated", "created"]);
  });
});

describe("a conclusion", () => {
  it("is dated when it is drawn or changed, and no more when it is taken back", async () => {
    const made = await createExperiment(service);
    const won = await patch(made.id, { conclusion: "won" });
    expect(won).toMatchObject({ concluded_at: expect.any(String), concluded_by: { id: 1 } });
    const commented = await patch(made.id, { conclusion: "won", conclusion_comment: "+4 %" });
    expect(commented.concluded_at).toBe(won.concluded_at);
    expect(await patch(made.id, { conclusion: null })).toMatchObject({
      concluded_at: null,
      concluded_by: null,
    });
  });
});

describe("a draft", () => {
  it("changes its flag's kind of group, and takes it back", async () => {
    const made = await createExperiment(service);
    const grouped = await patch(made.id, { parameters: { aggregation_group_type_index: 0 } });
    expect(grouped.feature_flag).toMatchObject({ version: 2, filters: { aggregation_group_type_index: 0 } });
    const same = await patch(made.id, { parameters: { note: 1 } });
    expect(same.feature_flag.version).toBe(2);
    const back = await patch(made.id, { parameters: { aggregation_group_type_index: null } });
    expect(back.feature_flag.filters.aggregation_group_type_index).toBeNull();
  });

  it.each([
    ["110 % in all", [variant("control", 50), variant("test", 60)]],
    ["90 % in all", [variant("control", 50), variant("test", 40)]],
  ])("does not give its flag variants that the flag itself would refuse: %s", async (_, list) => {
    const made = await createExperiment(service);
    const { status, json } = await send(made.id, { parameters: { feature_flag_variants: list } });
    expect([status, json.attr?.split("__")[0]]).toEqual([400, "filters"]);
    expect(await retrieve(made.id)).toEqual(made);
  });

  it("takes the payloads of variants that are gone with them", async () => {
    const flag = await createFlag(service, "with-payloads", ["control", "a"]);
    const filters = { ...flag.filters, payloads: { control: "1", a: "2" } };
    await done(service.api("PATCH", `${FLAGS}${flag.id}/`, { filters }));
    const made = await createExperiment(service, { feature_flag_key: "with-payloads" });
    const feature_flag_variants = [variant("control", 50), variant("b", 50)];
    const changed = await patch(made.id, { parameters: { feature_flag_variants } });
    expect(changed.feature_flag.filters.payloads).toEqual({ control: "1" });
  });
});

describe("a launched experiment", () => {
  it.each([
    ["the same variants in another order", 200, [variant("test", 50), variant("control", 50)]],
    ["other shares", 200, [variant("control", 10), variant("test", 90)]],
    ["another variant", 400, [variant("control", 50), variant("b", 50)]],
    ["one more variant", 400, [variant("control", 40), variant("test", 40), variant("b", 20)]],
    ["no variants", 400, []],
  ])("that is sent %s answers with %i", async (_, status, feature_flag_variants) => {
    const made = await createExperiment(service, { start_date: START });
    const reply = await send(made.id, { parameters: { feature_flag_variants } });
    expect(reply.status).toBe(status);
    expect((await retrieve(made.id)).feature_flag.version).toBe(1);
  });

  it.each([
    [{ update_feature_flag_params: true }, 2],
    [{ update_feature_flag_params: false }, 1],
    [{ update_feature_flag_params: null }, 1],
  ])("serves new shares with %j: version %i of the flag", async (fields, version) => {
    const made = await createExperiment(service, { start_date: START });
    const parameters = { feature_flag_variants: [variant("control", 10), variant("test", 90)] };
    const { feature_flag } = await patch(made.id, { parameters, ...fields });
    expect(feature_flag.version).toBe(version);
    expect(feature_flag.filters.multivariate.variants).toEqual([
      { key: "control", name: "Control Group", rollout_percentage: version === 2 ? 10 : 50 },
      { key: "test", name: "Test Variant", rollout_percentage: version === 2 ? 90 : 50 },
    ]);
  });

  it("keeps its holdout, and may be sent it unchanged", async () => {
    const holdout = await done(
      service.api("POST", "/api/projects/1/experiment_holdouts/", {
        name: "Ten",
        filters: [{ properties: [], rollout_percentage: 10 }],
      }),
    );
    const made = await createExperiment(service, { start_date: START, holdout_id: holdout.id });
    expect((await send(made.id, { holdout_id: null })).status).toBe(400);
    expect((await patch(made.id, { holdout_id: holdout.id })).feature_flag.version).toBe(1);
  });

  it("whose flag was paused stays so when its start is corrected", async () => {
    const made = await createExperiment(service, { start_date: START });
    await done(service.api("PATCH", `${FLAGS}${made.feature_flag.id}/`, { active: false }));
    expect((await patch(made.id, { start_date: "2026-01-04T00:00:00Z" })).status).toBe("paused");
  });
});

it.each([
  [{ properties: [{ key: "x" }] }, 400],
  [{ properties: { key: "x" } }, 400],
  [{ properties: [] }, 200],
  [{ properties: null }, 200],
  [{ events: [{ id: "paid" }] }, 200],
])("the older filters %j are answered with %i: conditions are the flag's", async (filters, status) => {
  const made = await createExperiment(service);
  const reply = await send(made.id, { filters });
  expect(reply.status).toBe(status);
  expect((await retrieve(made.id)).filters).toEqual(status === 200 ? filters : {});
});

it("two metrics of one uuid are refused across both lists; a metric may move from one to the other", async () => {
  const made = await createExperiment(service, { metrics: [meanOf("paid", { uuid: "a" })] });
  const { status, json } = await send(made.id, { metrics_secondary: [meanOf("seen", { uuid: "a" })] });
  expect([status, json.attr]).toEqual([400, "metrics"]);
  expect((await send(made.id, { metrics: [], metrics_secondary: made.metrics })).status).toBe(200);
});

describe("an editor whose fields somebody else has changed", () => {
  it("learns who it was", async () => {
    const seen = await createExperiment(service, { description: "First" });
    const theirs = await patch(seen.id, { description: "Theirs" });
    const body = { description: "Mine", version: seen.version, original_experiment: seen };
    const { status, json } = await send(seen.id, body);
    expect(status).toBe(409);
    expect(json.detail).toContain(`changed by ${theirs.last_modified_by.email}`);
  });

  it.each([
    ["removed a parameter", { a: 1, b: 1 }, { a: 1 }, { a: 1, b: 1, c: 1 }, { a: 1, c: 1 }],
    ["added a parameter", { a: 1 }, { a: 1, b: 1 }, { a: 2 }, { a: 2, b: 1 }],
    ["changed it in the same way", { a: 1 }, { a: 2 }, { a: 2, c: 1 }, { a: 2, c: 1 }],
    ["changed what the editor removed nothing of", { a: 1, b: 1 }, { a: 1, b: 2 }, { b: 1 }, { b: 2 }],
  ])("who %s: parameters are merged", async (_, first, theirs, mine, merged) => {
    const seen = await createExperiment(service, { parameters: first });
    await patch(seen.id, { parameters: theirs });
    const body = { parameters: mine, version: seen.version, original_experiment: seen };
    expect((await patch(seen.id, body)).parameters).toEqual(merged);
  });
});
