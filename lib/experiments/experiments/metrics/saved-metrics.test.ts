import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createExperiment, done, FLAGS, meanOf, ROOT } from "#testing/experiments.ts";
import { type Service, startService } from "#testing/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const SAVED = "/api/projects/1/experiment_saved_metrics/";
const make = (name: string, more: Record<string, unknown> = {}) =>
  done(service.api("POST", SAVED, { name, query: meanOf("paid"), ...more }));
const send = (id: number, body: unknown) => service.api("PATCH", `${SAVED}${id}/`, body);
const patch = (id: number, body: unknown) => done(send(id, body));
const retrieve = (id: number) => done(service.api("GET", `${SAVED}${id}/`));
const linksOf = async (id: number) => (await done(service.api("GET", `${ROOT}${id}/`))).saved_metrics;
const logOf = async (id: number) =>
  (await done(service.api("GET", `/api/projects/1/activity_log/?scope=ExperimentSavedMetric&item_id=${id}`)))
    .results;

it("a saved metric answers every field", async () => {
  const made = await make("Revenue", { description: "Per person", tags: ["money"] });
  expect(made).toEqual({
    id: expect.any(Number),
    name: "Revenue",
    description: "Per person",
    query: { ...meanOf("paid"), uuid: expect.any(String) },
    tags: ["money"],
    deleted: false,
    experiment_count: 0,
    experiments: [],
    created_by: expect.objectContaining({ id: 1 }),
    created_at: expect.any(String),
    updated_at: expect.any(String),
    unreadable_fields: made.unreadable_fields,
  });
  expect(await retrieve(made.id)).toEqual(made);
});

describe("its definition", () => {
  it("keeps its uuid when it is changed, and never the fingerprint that was sent", async () => {
    const made = await make("Kept", { query: meanOf("paid", { fingerprint: "forged" }) });
    expect(made.query).not.toHaveProperty("fingerprint");
    const changed = await patch(made.id, { query: meanOf("seen", { fingerprint: "forged" }) });
    expect(changed.query).toEqual(meanOf("seen", { uuid: made.query.uuid }));
    const renamed = await patch(made.id, { name: "Renamed" });
    expect([renamed.name, renamed.query]).toEqual(["Renamed", changed.query]);
    expect((await patch(made.id, { query: meanOf("seen", { uuid: "mine" }) })).query.uuid).toBe("mine");
  });

  it("may be of an older form", async () => {
    const query = { kind: "ExperimentTrendsQuery", count_query: {} };
    expect((await make("Old", { query })).query).toEqual(query);
  });

  it.each([
    ["no kind", { metric_type: "mean" }, "A metric must name its kind."],
    ["a kind that is no text", { kind: 5 }, "A metric must name its kind."],
    ["another kind", { kind: "Insight" }, "A metric must be of kind ExperimentMetric."],
    ["a mistake", meanOf("paid", { goal: "sideways" }), "A metric cannot be read: goal"],
  ])("of %s is refused, when it is made and when it is changed", async (_, query, detail) => {
    const made = await make("Right");
    for (const reply of [
      await service.api("POST", SAVED, { name: "Wrong", query }),
      await send(made.id, { query }),
    ]) {
      expect([reply.status, reply.json.code]).toEqual([400, "invalid_input"]);
      expect(reply.json.detail).toContain(detail);
      expect(reply.json.attr.split("__")[0]).toBe("query");
    }
    expect((await retrieve(made.id)).query).toEqual(made.query);
  });
});

it("says how each live experiment that uses it stands, the newest first", async () => {
  const shared = await make("Used");
  const other = await make("Not used");
  const use = (type: string, fields = {}) =>
    createExperiment(service, { saved_metrics_ids: [{ id: shared.id, metadata: { type } }], ...fields });
  const start_date = "2026-01-05T00:00:00Z";
  const draft = await use("primary");
  const running = await use("secondary", { start_date });
  const stopped = await use("guardrail", { start_date, end_date: "2026-02-01T00:00:00Z" });
  const paused = await use("primary", { start_date });
  await done(service.api("PATCH", `${FLAGS}${paused.feature_flag.id}/`, { active: false }));
  expect(await retrieve(shared.id)).toMatchObject({
    experiment_count: 4,
    experiments: [
      { id: paused.id, name: paused.name, status: "paused", type: "primary" },
      { id: stopped.id, name: stopped.name, status: "stopped", type: "primary" },
      { id: running.id, name: running.name, status: "running", type: "secondary" },
      { id: draft.id, name: draft.name, status: "draft", type: "primary" },
    ],
  });
  expect(await retrieve(other.id)).toMatchObject({ experiment_count: 0, experiments: [] });
  const listed = await done(service.api("GET", `${SAVED}?search=used`));
  expect(
    listed.results.map(({ id, experiment_count }: { id: number; experiment_count: number }) => [
      id,
      experiment_count,
    ]),
  ).toEqual([
    [other.id, 0],
    [shared.id, 4],
  ]);
});

it("they are listed a page at a time, with the addresses of the neighbours", async () => {
  const made = [];
  for (const name of ["paged a", "paged b", "paged c"]) made.push((await make(name)).id);
  const page = await done(service.api("GET", `${SAVED}?search=PAGED&limit=1&offset=1`));
  expect(page).toMatchObject({
    count: 3,
    next: expect.stringContaining("offset=2"),
    previous: expect.any(String),
    results: [{ id: made[1] }],
  });
});

describe("an experiment", () => {
  it("has its saved metrics in the order in which it names them, each with its role", async () => {
    const [a, b] = [await make("a"), await make("b")];
    const secondary = { type: "secondary" };
    const made = await createExperiment(service, {
      saved_metrics_ids: [{ id: b.id }, { id: a.id, metadata: secondary }],
    });
    expect(made.saved_metrics).toMatchObject([
      { saved_metric: b.id, metadata: { type: "primary" } },
      { saved_metric: a.id, metadata: secondary },
    ]);
    const body = { saved_metrics_ids: [{ id: a.id }] };
    const changed = await done(service.api("PATCH", `${ROOT}${made.id}/`, body));
    expect(changed.saved_metrics).toMatchObject([{ saved_metric: a.id, metadata: { type: "primary" } }]);
    const log = await done(service.api("GET", `${ROOT}${made.id}/activity/`));
    expect(log.results[0].detail.changes).toMatchObject([
      {
        field: "saved_metrics",
        before: [{ id: b.id }, { id: a.id, metadata: secondary }],
        after: [{ id: a.id, metadata: { type: "primary" } }],
      },
    ]);
    const renamed = await done(service.api("PATCH", `${ROOT}${made.id}/`, { name: "Renamed" }));
    expect(renamed.saved_metrics).toEqual(changed.saved_metrics);
  });

  it.each([
    ["one that is not there", (id: number) => [{ id }, { id: 987_654 }], "987654"],
    ["one below all numbers", (id: number) => [{ id }, { id: -(2 ** 40) }], String(-(2 ** 40))],
    ["one twice", (id: number) => [{ id }, { id }], "twice"],
  ])("cannot use %s", async (_, wishes, detail) => {
    const shared = await make("Wanted");
    const made = await createExperiment(service, { saved_metrics_ids: [{ id: shared.id }] });
    const body = { saved_metrics_ids: wishes(shared.id) };
    const { status, json } = await service.api("PATCH", `${ROOT}${made.id}/`, body);
    expect([status, json.code, json.attr]).toEqual([400, "invalid_input", "saved_metrics_ids"]);
    expect(json.detail).toContain(detail);
    expect(await linksOf(made.id)).toEqual(made.saved_metrics);
  });
});

describe("a running experiment", () => {
  it.each([
    ["redefined", (id: number) => send(id, { query: meanOf("seen") }), ["metrics"]],
    ["renamed", (id: number) => send(id, { name: "Renamed" }), ["metrics"]],
    ["deleted", (id: number) => send(id, { deleted: true }), ["metrics"]],
    ["deleted by DELETE", (id: number) => service.api("DELETE", `${SAVED}${id}/`), ["metrics"]],
    ["given tags", (id: number) => send(id, { tags: ["x"] }), []],
  ])("notes beside its plan that a metric was %s", async (_, change, fields) => {
    const shared = await make("Planned");
    const start_date = "2026-01-05T00:00:00Z";
    const use = (type: string) => ({
      saved_metrics_ids: [{ id: shared.id, metadata: { type } }],
      start_date,
    });
    const primary = await createExperiment(service, use("primary"));
    const secondary = await createExperiment(service, use("secondary"));
    const draft = await createExperiment(service, { ...use("primary"), start_date: null });
    expect((await change(shared.id)).status).toBeLessThan(300);
    const planOf = async (id: number) => (await done(service.api("GET", `${ROOT}${id}/`))).launch_plan;
    const plan = await planOf(primary.id);
    expect(plan.changes.map(({ field }: { field: string }) => field)).toEqual(fields);
    for (const noted of plan.changes) expect(noted).toMatchObject({ at: expect.any(String), by: { id: 1 } });
    expect((await planOf(secondary.id)).changes).toEqual([]);
    expect(await planOf(draft.id)).toBeNull();
  });
});

it("what was done to it is recorded in the log; what changes nothing is not", async () => {
  const made = await make("Told");
  await patch(made.id, { name: "Told" });
  await patch(made.id, { description: "Why", tags: ["x"] });
  await patch(made.id, { deleted: true });
  await patch(made.id, { deleted: false });
  await done(service.api("DELETE", `${SAVED}${made.id}/`));
  const log = await logOf(made.id);
  expect(log.map(({ activity }: { activity: string }) => activity)).toEqual([
    "deleted",
    "restored",
    "deleted",
    "updated",
    "created",
  ]);
  expect(log[3].detail).toMatchObject({
    name: "Told",
    changes: [{ field: "description" }, { field: "tags" }],
  });
});

it("there is none of an unknown or deleted id", async () => {
  const made = await make("Gone");
  expect((await service.api("DELETE", `${SAVED}${made.id}/`)).status).toBe(204);
  for (const id of [made.id, 987_654])
    for (const [method, body] of [["GET"], ["DELETE"], ["PATCH", { deleted: true }]] as const)
      expect((await service.api(method, `${SAVED}${id}/`, body)).status).toBe(404);
  expect((await patch(made.id, { deleted: false })).deleted).toBe(false);
});
