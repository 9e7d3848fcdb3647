import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createExperiment, done, meanOf, ROOT } from "#testing/experiments.ts";
import { type Service, startService } from "#testing/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

// biome-ignore lint/suspicious/noExplicitAny: records of every shape
type Record_ = any;
const send = (id: number, body: unknown) => service.api("PATCH", `${ROOT}${id}/`, body);
const patch = (id: number, body: unknown) => done(send(id, body));
const retrieve = (id: number) => done(service.api("GET", `${ROOT}${id}/`));
const resting = (on: Record_, body: object) => ({ ...body, version: on.version, original_experiment: on });

describe("two editors", () => {
  it("get a 409 if they changed the same field, and nothing is written", async () => {
    const seen = await createExperiment(service, { description: "First" });
    expect(seen.version).toBe(1);
    const theirs = await patch(seen.id, resting(seen, { description: "Theirs", archived: true }));
    expect(theirs).toMatchObject({ version: 2, description: "Theirs", last_modified_by: { id: 1 } });
    const { status, json } = await send(seen.id, resting(seen, { description: "Mine", name: "New name" }));
    expect(status).toBe(409);
    expect(json).toMatchObject({
      type: "server_error",
      code: "conflict",
      attr: null,
      extra: { fields: ["description"], version: 2 },
    });
    expect(json.detail).toContain("description");
    expect(await retrieve(seen.id)).toEqual(theirs);
    expect(await patch(seen.id, resting(theirs, { description: "Mine" }))).toMatchObject({
      version: 3,
      description: "Mine",
    });
  });

  it("do not conflict with different fields, nor with the same value", async () => {
    const seen = await createExperiment(service, {
      parameters: { minimum_detectable_effect: 5, recommended_sample_size: 100 },
      stats_config: { method: "bayesian" },
    });
    await patch(
      seen.id,
      resting(seen, {
        description: "Theirs",
        parameters: { minimum_detectable_effect: 7, recommended_sample_size: 100 },
        archived: true,
      }),
    );
    const saved = await patch(
      seen.id,
      resting(seen, {
        metrics: [meanOf("paid")],
        parameters: { minimum_detectable_effect: 5, recommended_sample_size: 200, note: "x" },
        archived: true,
      }),
    );
    expect(saved).toMatchObject({
      description: "Theirs",
      archived: true,
      metrics: [{ source: { event: "paid" } }],
      version: 3,
    });
    expect(saved.parameters).toEqual({
      minimum_detectable_effect: 7,
      recommended_sample_size: 200,
      note: "x",
    });
  });

  it.each([
    ["a parameter", { parameters: { note: "a" } }, { parameters: { note: "b" } }, "parameters.note"],
    [
      "a metric",
      { metrics: [meanOf("a", { uuid: "m" })] },
      { metrics: [meanOf("b", { uuid: "m" })] },
      "metrics",
    ],
    [
      "the list of a metric",
      { metrics: [meanOf("a", { uuid: "m" })] },
      { metrics_secondary: [meanOf("a", { uuid: "m" })] },
      "metrics",
    ],
    ["statistics", { stats_config: { method: "frequentist" } }, { stats_config: { x: 1 } }, "stats_config"],
    ["the conclusion", { conclusion: "won" }, { conclusion: "lost" }, "conclusion"],
    ["the end", { end_date: "2026-02-01T00:00:00Z" }, { end_date: "2026-02-02T00:00:00Z" }, "end_date"],
  ])("meet in %s", async (_, theirs, mine, field) => {
    const seen = await createExperiment(service, { start_date: "2026-01-01T00:00:00Z" });
    await patch(seen.id, theirs);
    const { status, json } = await send(seen.id, resting(seen, mine));
    expect([status, json.extra?.fields]).toEqual([409, [field]]);
  });

  it("conflict in saved metrics; fields sent unchanged are no change", async () => {
    const saved = async (name: string) =>
      (
        await done(
          service.api("POST", "/api/projects/1/experiment_saved_metrics/", { name, query: meanOf(name) }),
        )
      ).id;
    const [a, b] = [await saved("one"), await saved("two")];
    const seen = await createExperiment(service, {
      saved_metrics_ids: [{ id: a }],
      metrics: [meanOf("paid")],
      start_date: "2026-01-01T00:00",
    });
    await patch(seen.id, { saved_metrics_ids: [{ id: b }], end_date: "2026-02-01T00:00" });
    const unchanged = {
      saved_metrics_ids: [{ id: a, metadata: { type: "primary" } }],
      metrics: seen.metrics,
      start_date: seen.start_date,
    };
    // What the caller did not change is theirs to keep, also where it is sent along.
    const kept = await patch(seen.id, resting(seen, { ...unchanged, name: "Renamed" }));
    expect(kept).toMatchObject({ name: "Renamed", saved_metrics: [{ saved_metric: b }] });
    const both = [{ id: a }, { id: b }];
    const read = await patch(seen.id, { saved_metrics_ids: both });
    await patch(seen.id, { saved_metrics_ids: [{ id: a, metadata: { type: "secondary" } }, { id: b }] });
    const withoutB = await patch(seen.id, resting(read, { saved_metrics_ids: [{ id: a }] }));
    expect(withoutB.saved_metrics).toMatchObject([{ saved_metric: a, metadata: { type: "secondary" } }]);
    const { status, json } = await send(seen.id, resting(read, { saved_metrics_ids: [{ id: b }] }));
    expect([status, json.extra.fields]).toEqual([409, ["saved_metrics_ids"]]);
  });

  it("keep each other's metrics, which are merged one by one", async () => {
    const [one, two, three] = ["one", "two", "three"].map((uuid) => meanOf(uuid, { uuid }));
    const seen = await createExperiment(service, { metrics: [one, two, three] });
    const twoElse = meanOf("two else", { uuid: "two" });
    await patch(seen.id, resting(seen, { metrics: [one, twoElse], metrics_secondary: [three] }));
    const oneElse = meanOf("one else", { uuid: "one" });
    const saved = await patch(
      seen.id,
      resting(seen, { metrics: [oneElse, two, three, meanOf("four", { uuid: "four" })] }),
    );
    const namesIn = (metrics: Record_[]) => metrics.map(({ source }) => source.event);
    expect(namesIn(saved.metrics)).toEqual(["one else", "two else", "four"]);
    expect(namesIn(saved.metrics_secondary)).toEqual(["three"]);
    // Removing what somebody else has changed is a conflict, too.
    expect((await send(seen.id, resting(seen, { metrics: [one, three] }))).status).toBe(409);
  });

  it("overwrite one another without a version, as clients of the public service do", async () => {
    const seen = await createExperiment(service, { description: "First" });
    await patch(seen.id, { description: "Theirs" });
    expect((await patch(seen.id, { description: "Mine" })).description).toBe("Mine");
    expect((await patch(seen.id, { description: "Again", version: 1 })).description).toBe("Again");
  });

  it.each([
    ["a version that is no number", { version: "1" }],
    ["a version that is null", { version: null }],
    ["an original that is no object", { version: 1, original_experiment: [] }],
    ["an original of nothing", { version: 1, original_experiment: null }],
  ])("refuses %s", async (_, body) => {
    const seen = await createExperiment(service);
    expect((await send(seen.id, { ...body, name: "Never" })).status).toBe(400);
    expect((await retrieve(seen.id)).version).toBe(1);
  });

  it("accepts originals of any shape", async () => {
    const seen = await createExperiment(service);
    const original_experiment = {
      parameters: 7,
      metrics: "none",
      saved_metrics: [1, null],
      feature_flag: [],
      description: { a: 1 },
    };
    const { status } = await send(seen.id, {
      version: 99,
      original_experiment,
      description: "x",
      parameters: { note: 1 },
      metrics: [],
      saved_metrics_ids: [],
    });
    expect([200, 409]).toContain(status);
  });
});

describe("the plan at launch", () => {
  const start = () => new Date().toISOString();

  it("keeps the first wording; later changes are shown beside it, with who and when", async () => {
    const draft = await createExperiment(service, {
      description: "Draft wording",
      metrics: [meanOf("paid", { name: "Paid" })],
    });
    expect(draft.launch_plan).toBeNull();
    await patch(draft.id, { description: "More orders" });
    const launched = await patch(draft.id, { start_date: start() });
    const plan = {
      description: "More orders",
      metrics: [{ name: "Paid", source: { event: "paid" } }],
      stats_config: { method: "bayesian" },
      launched_by: { id: 1 },
      launched_at: expect.any(String),
    };
    expect(launched.launch_plan).toMatchObject({ ...plan, changes: [] });

    await patch(draft.id, { description: "Fewer complaints" });
    const bent = await patch(draft.id, { stats_config: { method: "frequentist" }, name: "Other name" });
    expect(bent.description).toBe("Fewer complaints");
    expect(bent.launch_plan).toMatchObject({
      ...plan,
      changes: [
        { field: "description", at: expect.any(String), by: { id: 1 } },
        { field: "stats_config", at: expect.any(String), by: { id: 1 } },
      ],
    });
    const restored = await patch(draft.id, { description: "More orders", metrics: [] });
    expect(restored.launch_plan.changes.map(({ field }: { field: string }) => field)).toEqual([
      "metrics",
      "stats_config",
    ]);
  });

  it("is that of each launch; a reset that is undone brings it back", async () => {
    const made = await createExperiment(service, {
      description: "First",
      start_date: "2026-01-01T00:00:00Z",
    });
    expect(made.launch_plan).toMatchObject({ description: "First", changes: [] });
    await patch(made.id, { description: "Bent" });
    await patch(made.id, { start_date: null });
    const undone = await patch(made.id, { start_date: made.start_date });
    expect(undone.launch_plan).toMatchObject({ description: "First", changes: [{ field: "description" }] });
    await patch(made.id, { start_date: null });
    const again = await patch(made.id, { start_date: start() });
    expect(again.launch_plan).toMatchObject({ description: "Bent", changes: [] });
  });

  it("moves with a corrected start, and is not copied to a duplicate", async () => {
    const made = await createExperiment(service, {
      description: "First",
      start_date: "2026-01-02T00:00:00Z",
    });
    await patch(made.id, { start_date: "2026-01-01T00:00:00Z", description: "Second" });
    expect((await retrieve(made.id)).launch_plan).toMatchObject({
      description: "First",
      changes: [{ field: "description" }],
    });
    const copy = await done(service.api("POST", `${ROOT}${made.id}/duplicate/`));
    expect(copy).toMatchObject({ launch_plan: null, phases: [], version: 1, shipped_variant: null });
  });

  it("records when a saved metric is redefined", async () => {
    const path = "/api/projects/1/experiment_saved_metrics/";
    const shared = await done(service.api("POST", path, { name: "Shared", query: meanOf("paid") }));
    const made = await createExperiment(service, {
      saved_metrics_ids: [{ id: shared.id }],
      start_date: "2026-01-01T00:00:00Z",
    });
    await done(service.api("PATCH", `${path}${shared.id}/`, { query: meanOf("refunded") }));
    expect((await retrieve(made.id)).launch_plan).toMatchObject({
      metrics: [{ name: "Shared", saved_metric_id: shared.id, source: { event: "paid" } }],
      changes: [{ field: "metrics", at: expect.any(String), by: { id: 1 } }],
    });
    expect((await retrieve(made.id)).version).toBe(1);
    await done(service.api("PATCH", `${path}${shared.id}/`, { query: shared.query }));
    expect((await retrieve(made.id)).launch_plan.changes).toEqual([]);
  });
});
