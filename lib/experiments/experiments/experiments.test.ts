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

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const get = (id: number) => service.api("GET", `${ROOT}${id}/`);
const patch = (id: number, body: unknown) => service.api("PATCH", `${ROOT}${id}/`, body);
const flagOf = async (experiment: { feature_flag: { id: number } }) =>
  done(service.api("GET", `${FLAGS}${experiment.feature_flag.id}/`));
const START = "2026-01-05T09:00:00Z";

describe("creating", () => {
  it("returns every field and creates the named flag", async () => {
    const made = await createExperiment(service, { name: "Checkout", feature_flag_key: "checkout" });
    expect(made).toEqual({
      id: expect.any(Number),
      name: "Checkout",
      description: "",
      start_date: null,
      end_date: null,
      feature_flag_key: "checkout",
      feature_flag: {
        id: expect.any(Number),
        team_id: 1,
        name: expect.stringContaining("Checkout"),
        key: "checkout",
        filters: {
          groups: [{ properties: [], rollout_percentage: 100 }],
          multivariate: {
            variants: [
              { key: "control", name: "Control Group", rollout_percentage: 50 },
              { key: "test", name: "Test Variant", rollout_percentage: 50 },
            ],
          },
          aggregation_group_type_index: null,
          holdout_groups: null,
        },
        deleted: false,
        active: false,
        ensure_experience_continuity: false,
        has_encrypted_payloads: false,
        version: 1,
        evaluation_runtime: "all",
        evaluation_tags: [],
      },
      holdout: null,
      holdout_id: null,
      exposure_cohort: null,
      parameters: {},
      secondary_metrics: [],
      saved_metrics: [],
      saved_metrics_ids: null,
      filters: {},
      archived: false,
      deleted: false,
      created_by: expect.objectContaining({ id: 1 }),
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{6}Z$/),
      updated_at: expect.any(String),
      type: "product",
      exposure_criteria: {},
      metrics: [],
      metrics_secondary: [],
      stats_config: { method: "bayesian" },
      conclusion: null,
      conclusion_comment: null,
      concluded_at: null,
      concluded_by: null,
      shipped_variant: null,
      phases: [],
      launch_plan: null,
      primary_metrics_ordered_uuids: null,
      secondary_metrics_ordered_uuids: null,
      user_access_level: "manager",
      version: 1,
      last_modified_by: expect.objectContaining({ id: 1 }),
      status: "draft",
    });
    expect((await get(made.id)).json).toEqual(made);
    expect(await flagOf(made)).toMatchObject({
      experiment_set: [made.id],
      active: false,
    });
  });

  it("with a start date launches at once", async () => {
    const made = await createExperiment(service, { start_date: "2026-01-05T09:00" });
    expect(made).toMatchObject({ start_date: START, status: "running", feature_flag: { active: true } });
  });

  it("gives the flag its variants, group type and shares", async () => {
    const variants = [
      { key: "control", rollout_percentage: 20 },
      { key: "a", name: "A", rollout_percentage: 40 },
      { key: "b", split_percent: 40 },
    ];
    const made = await createExperiment(service, {
      parameters: {
        feature_flag_variants: variants,
        aggregation_group_type_index: 1,
        ensure_experience_continuity: true,
        rollout_percentage: 80,
      },
    });
    expect(made.parameters.feature_flag_variants).toEqual(variants);
    expect(made.feature_flag).toMatchObject({
      ensure_experience_continuity: true,
      filters: {
        groups: [{ properties: [], rollout_percentage: 80 }],
        aggregation_group_type_index: 1,
        multivariate: {
          variants: [
            { key: "control", rollout_percentage: 20 },
            { key: "a", name: "A", rollout_percentage: 40 },
            { key: "b", rollout_percentage: 40 },
          ],
        },
      },
    });
  });

  it("uses an existing flag without changing it", async () => {
    const flag = await createFlag(service, "shared", ["control", "x"], { active: false });
    const first = await createExperiment(service, {
      feature_flag_key: "shared",
      start_date: START,
      parameters: {
        feature_flag_variants: ["control", "x", "y", "z"].map((key) => ({ key, rollout_percentage: 25 })),
      },
    });
    const second = await createExperiment(service, { feature_flag_key: "shared" });
    expect(first.status).toBe("paused");
    // What is sent back as it was is no change of the variants.
    const planned = { ...first.parameters, minimum_detectable_effect: 3 };
    expect((await done(patch(first.id, { parameters: planned }))).parameters).toEqual(planned);
    expect(await flagOf(first)).toMatchObject({
      version: flag.version,
      active: false,
      filters: flag.filters,
      experiment_set: [first.id, second.id],
    });
  });

  it("takes a deleted flag's key", async () => {
    const flag = await createFlag(service, "gone", ["control", "x"]);
    await done(service.api("PATCH", `${FLAGS}${flag.id}/`, { deleted: true }));
    const made = await createExperiment(service, { feature_flag_key: "gone" });
    expect(made.feature_flag.id).not.toBe(flag.id);
  });

  it("gives metrics uuids and fingerprints", async () => {
    const made = await createExperiment(service, {
      metrics: [meanOf("paid"), meanOf("paid", { uuid: "mine", name: "Mine", fingerprint: "forged" })],
      metrics_secondary: [{ kind: "ExperimentTrendsQuery", count_query: {} }],
    });
    const [first, second] = made.metrics;
    expect(first.uuid).toMatch(/^[0-9a-f-]{36}$/);
    expect(second).toMatchObject({ uuid: "mine", fingerprint: first.fingerprint });
    expect(first.fingerprint).toMatch(/^[0-9a-f]{64}$/);
    expect(made.metrics_secondary[0]).toMatchObject({ kind: "ExperimentTrendsQuery", count_query: {} });
  });

  it("treats null as empty", async () => {
    const made = await createExperiment(service, {
      metrics: null,
      metrics_secondary: null,
      stats_config: null,
      parameters: null,
      exposure_criteria: null,
      description: null,
      secondary_metrics: null,
      saved_metrics_ids: null,
      type: null,
    });
    expect(made).toMatchObject({
      metrics: [],
      metrics_secondary: [],
      stats_config: { method: "bayesian" },
      parameters: null,
      exposure_criteria: null,
    });
    const criteria = { filterTestAccounts: true, exposure_config: null, multiple_variant_handling: null };
    const spare = await createExperiment(service, { exposure_criteria: criteria });
    expect(spare.exposure_criteria).toEqual({ filterTestAccounts: true });
  });
});

describe("launching, stopping and deleting", () => {
  it("a start date launches a draft: its flag is on, its fingerprints change", async () => {
    const draft = await createExperiment(service, { metrics: [meanOf("paid")] });
    const running = await done(patch(draft.id, { start_date: START }));
    expect(running).toMatchObject({ status: "running", feature_flag: { active: true, version: 2 } });
    expect(running.metrics[0].fingerprint).not.toBe(draft.metrics[0].fingerprint);
    const log = await done(service.api("GET", `${FLAGS}${draft.feature_flag.id}/activity/`));
    expect(log.results[0].detail.changes).toEqual(
      expect.arrayContaining([expect.objectContaining({ field: "active", before: false, after: true })]),
    );
  });

  it("an end date stops it, and a null start date makes it a draft again; the flag stays", async () => {
    const made = await createExperiment(service, { start_date: START });
    const stopped = await done(patch(made.id, { end_date: "2026-02-01T00:00:00+01:00" }));
    expect(stopped).toMatchObject({
      status: "stopped",
      end_date: "2026-01-31T23:00:00Z",
      feature_flag: { active: true, version: 1 },
    });
    const again = await done(patch(made.id, { start_date: null, end_date: null }));
    expect(again).toMatchObject({ status: "draft", feature_flag: { active: true, version: 1 } });
  });

  it("is archived, unarchived and concluded at any time", async () => {
    const made = await createExperiment(service);
    expect(
      await done(patch(made.id, { archived: true, conclusion: "won", conclusion_comment: "+4%" })),
    ).toMatchObject({
      archived: true,
      conclusion: "won",
      conclusion_comment: "+4%",
    });
    expect((await done(patch(made.id, { archived: false, conclusion: null }))).conclusion).toBeNull();
  });

  it("is not found while deleted and can be restored; its flag is served all the while", async () => {
    const made = await createExperiment(service, { start_date: START });
    const gone = await done(patch(made.id, { deleted: true }));
    expect(gone.deleted).toBe(true);
    expect((await get(made.id)).status).toBe(404);
    expect((await patch(made.id, { name: "Ghost" })).status).toBe(404);
    expect((await patch(made.id, { deleted: true })).status).toBe(404);
    const flag = await flagOf(made);
    expect(flag).toMatchObject({ active: true, deleted: false, experiment_set: [] });
    expect(await done(patch(made.id, { deleted: false, name: "Back" }))).toMatchObject({
      deleted: false,
      name: "Back",
    });
    expect((await flagOf(made)).experiment_set).toEqual([made.id]);
  });

  it("cannot be restored without its flag", async () => {
    const made = await createExperiment(service, { feature_flag_key: "lost" });
    await done(patch(made.id, { deleted: true }));
    await done(service.api("PATCH", `${FLAGS}${made.feature_flag.id}/`, { deleted: true }));
    expect((await patch(made.id, { deleted: false })).status).toBe(400);
    const other = await createExperiment(service, { feature_flag_key: "lost" });
    expect(other.feature_flag.id).not.toBe(made.feature_flag.id);
  });

  it("DELETE is refused with an empty body for every id", async () => {
    for (const id of ["1", "987654", "nonsense"]) {
      const { status, text } = await service.api("DELETE", `${ROOT}${id}/`);
      expect([status, text]).toEqual([405, ""]);
    }
  });
});

describe("the flag of an experiment", () => {
  const three = ["control", "a", "b"].map((key, i) => ({ key, rollout_percentage: i === 0 ? 34 : 33 }));

  it("a draft's variants follow the parameters, and stay if those have none", async () => {
    const made = await createExperiment(service);
    const changed = await done(patch(made.id, { parameters: { feature_flag_variants: three } }));
    expect(changed.feature_flag).toMatchObject({
      version: 2,
      filters: { multivariate: { variants: three } },
    });
    const later = await done(patch(made.id, { parameters: { minimum_detectable_effect: 12 } }));
    expect(later).toMatchObject({
      parameters: { minimum_detectable_effect: 12 },
      feature_flag: { version: 2, filters: { multivariate: { variants: three } } },
    });
  });

  it("a launched one keeps its variants; new shares are stored, and served only if requested", async () => {
    const made = await createExperiment(service, { start_date: START });
    const shares = (test: number) => [
      { key: "control", rollout_percentage: 100 - test },
      { key: "test", rollout_percentage: test },
    ];
    const stored = await done(patch(made.id, { parameters: { feature_flag_variants: shares(90) } }));
    expect(stored.parameters.feature_flag_variants).toEqual(shares(90));
    expect(stored.feature_flag.version).toBe(1);
    const served = await done(
      patch(made.id, { parameters: { feature_flag_variants: shares(80) }, update_feature_flag_params: true }),
    );
    expect(served.feature_flag.filters.multivariate.variants).toMatchObject(shares(80));
    expect((await patch(made.id, { parameters: { feature_flag_variants: three } })).status).toBe(400);
    expect((await patch(made.id, { parameters: null })).status).toBe(200);
  });

  it("is followed by the parameters of all experiments on it, and that is logged", async () => {
    const first = await createExperiment(service, { parameters: { minimum_detectable_effect: 7 } });
    const second = await createExperiment(service, { feature_flag_key: first.feature_flag_key });
    const groups = [{ properties: [], rollout_percentage: 100 }];
    const flag = `${FLAGS}${first.feature_flag.id}/`;
    const filters = { groups, multivariate: { variants: three }, aggregation_group_type_index: 1 };
    await done(service.api("PATCH", flag, { filters }));
    expect((await get(first.id)).json.parameters).toEqual({
      minimum_detectable_effect: 7,
      feature_flag_variants: three,
      aggregation_group_type_index: 1,
    });
    const log = (await done(service.api("GET", `${ROOT}${second.id}/activity/`))).results;
    expect(log[0].detail.changes.map((change: { field: string }) => change.field)).toEqual(["parameters"]);
    await done(service.api("PATCH", flag, { name: "Only its name" }));
    expect((await done(service.api("GET", `${ROOT}${second.id}/activity/`))).count ?? log.length).toBe(
      log.length,
    );
    const even = [
      { key: "control", rollout_percentage: 50 },
      { key: "b", rollout_percentage: 50 },
    ];
    await done(
      patch(second.id, { parameters: { feature_flag_variants: even, aggregation_group_type_index: null } }),
    );
    expect((await get(first.id)).json.parameters).toEqual({
      minimum_detectable_effect: 7,
      feature_flag_variants: even,
    });
  });

  it("cannot be deleted under it; under deleted ones it can, and its key is free", async () => {
    const made = await createExperiment(service, { feature_flag_key: "busy" });
    const address = `${FLAGS}${made.feature_flag.id}/`;
    const refused = await service.api("PATCH", address, { deleted: true });
    expect([refused.status, refused.json.type]).toEqual([400, "validation_error"]);
    expect(refused.json.detail).toContain(String(made.id));
    await done(patch(made.id, { deleted: true }));
    const gone = await done(service.api("PATCH", address, { deleted: true }));
    expect(gone.key).toBe(`busy:deleted:${made.feature_flag.id}`);
    expect((await done(service.api("PATCH", address, { deleted: false }))).key).toBe("busy");
  });

  it("is found by the list filter for experiments", async () => {
    const made = await createExperiment(service, { feature_flag_key: "listed-flag" });
    const found = await done(service.api("GET", `${FLAGS}?type=experiment&search=listed-flag`));
    expect(found.results.map(({ id }: { id: number }) => id)).toEqual([made.feature_flag.id]);
    await createFlag(service, "listed-flag-2", ["control", "x"]);
    expect((await done(service.api("GET", `${FLAGS}?type=experiment&search=listed-flag`))).count).toBe(1);
  });
});

describe("updating", () => {
  it("PUT needs a name and the flag's key, and is PATCH otherwise", async () => {
    const made = await createExperiment(service, { description: "Kept" });
    const put = (body: unknown) => service.api("PUT", `${ROOT}${made.id}/`, body);
    expect((await put({ name: "Only" })).json).toMatchObject({ code: "required", attr: "feature_flag_key" });
    expect(await done(put({ name: "New", feature_flag_key: made.feature_flag_key }))).toMatchObject({
      name: "New",
      description: "Kept",
    });
  });

  it("unknown members are ignored, and every fingerprint is recomputed", async () => {
    const made = await createExperiment(service, { metrics: [meanOf("paid")] });
    const after = await done(
      patch(made.id, { nonsense: 1, id: 7, exposure_criteria: { filterTestAccounts: true } }),
    );
    expect(after.id).toBe(made.id);
    expect(after.metrics[0].fingerprint).not.toBe(made.metrics[0].fingerprint);
  });

  it("is in the logs of the experiment, of all experiments and of the flag", async () => {
    const made = await createExperiment(service, { name: "ReportedResult", metrics: [meanOf("paid")] });
    await done(patch(made.id, { description: "Why", start_date: START }));
    const log = await done(service.api("GET", `${ROOT}${made.id}/activity/`));
    expect(log.results.map((entry: { activity: string }) => entry.activity)).toEqual(["updated", "created"]);
    expect(log.results[0]).toMatchObject({
      scope: "Experiment",
      item_id: String(made.id),
      detail: { name: "ReportedResult" },
    });
    expect(log.results[0].detail.changes.map((change: { field: string }) => change.field)).toEqual([
      "description",
      "start_date",
    ]);
    expect((await done(service.api("GET", `${ROOT}activity/`))).results[0].item_id).toBe(String(made.id));
  });

  it("two at once are both applied", async () => {
    const made = await createExperiment(service, { metrics: [meanOf("paid")] });
    const replies = await Promise.all([
      patch(made.id, { start_date: START }),
      patch(made.id, { description: "Both" }),
      patch(made.id, {
        parameters: {
          feature_flag_variants: [
            { key: "control", rollout_percentage: 10 },
            { key: "test", rollout_percentage: 90 },
          ],
        },
      }),
      patch(made.id, { archived: true }),
      ...Array.from({ length: 6 }, (_, i) => patch(made.id, { conclusion_comment: `No. ${i}` })),
      // The flag's own changes reach the experiment, too, and must not wait for each other crosswise.
      ...[20, 30, 40, 50].map((share) =>
        service.api("PATCH", `${FLAGS}${made.feature_flag.id}/`, {
          filters: {
            groups: [{ properties: [], rollout_percentage: 100 }],
            multivariate: {
              variants: [
                { key: "control", rollout_percentage: share },
                { key: "test", rollout_percentage: 100 - share },
              ],
            },
          },
        }),
      ),
    ]);
    expect(replies.map((reply) => reply.status)).toEqual(replies.map(() => 200));
    expect((await get(made.id)).json).toMatchObject({
      start_date: START,
      description: "Both",
      archived: true,
      feature_flag: { active: true },
    });
  });

  it("two that name one new flag share it", async () => {
    const both = await Promise.all([
      service.api("POST", ROOT, experimentBody({ feature_flag_key: "raced" })),
      service.api("POST", ROOT, experimentBody({ feature_flag_key: "raced" })),
    ]);
    expect(both.map((reply) => reply.status)).toEqual([201, 201]);
    expect(both[0]?.json.feature_flag.id).toBe(both[1]?.json.feature_flag.id);
  });
});
