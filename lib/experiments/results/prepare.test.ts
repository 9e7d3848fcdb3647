import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { metric, source, startResults, type Told } from "#testing/experiment-results.ts";

let service: Awaited<ReturnType<typeof startResults>>;
beforeAll(async () => {
  service = await startResults();
});
afterAll(() => service.close());

const ROOT = "/api/projects/1/experiments/";
const end_date = "2026-03-20T09:00:00Z";

const resultsOf = async ({ id }: { id: number }) => {
  const { status, json, text } = await service.api("GET", `${ROOT}${id}/results/`);
  expect(status, text).toBe(200);
  return json;
};

const called = (
  flag: string,
  id: string,
  variant: string,
  properties: Record<string, unknown> = {},
): Told => ({
  event: "$feature_flag_called",
  id: `${flag} ${id}`,
  at: 1,
  properties: { $feature_flag: flag, $feature_flag_response: variant, ...properties },
});

describe("the baseline", () => {
  const keyed = (...keys: string[]) => ({
    feature_flag_variants: keys.map((key) => ({ key, rollout_percentage: 100 / keys.length })),
  });

  it.each([
    { name: "is the control", named: undefined, is: "control" },
    { name: "is the variant that is named", named: "test", is: "test" },
    { name: "is the control where the variant is unknown", named: "gone", is: "control" },
    { name: "is the control where the name is none", named: 5, is: "control" },
  ])("$name", async ({ named, is }) => {
    const made = await service.create({
      metrics: [],
      parameters: keyed("control", "test"),
      stats_config: { baseline_variant_key: named },
    });
    const { settings, variants } = await resultsOf(made);
    expect(settings.baseline_key).toBe(is);
    expect(variants.map(({ is_baseline }: { is_baseline: boolean }) => is_baseline)).toEqual([
      is === "control",
      is === "test",
    ]);
  });
});

describe("test accounts", () => {
  it("are left out of exposures where the experiment says so", async () => {
    const filters = [{ key: "plan", operator: "is_not", value: "internal", type: "event" }];
    const patched = await service.api("PATCH", "/api/projects/1/", { test_account_filters: filters });
    expect(patched.status, patched.text).toBe(200);
    for (const [filterTestAccounts, control] of [
      [true, 1],
      [false, 2],
    ] as const) {
      const made = await service.create({ end_date, metrics: [], exposure_criteria: { filterTestAccounts } });
      const flag = made.feature_flag_key;
      await service.send([
        called(flag, "1", "control", { plan: "internal" }),
        called(flag, "2", "control", { plan: "pro" }),
      ]);
      expect((await resultsOf(made)).exposures.total_exposures).toEqual({ control, test: 0 });
    }
  });
});

describe("an exposure by an event of one's own", () => {
  it.each([
    { config: { event: "seen" }, is: { control: 0, test: 1 } },
    { config: { event: "$feature_flag_called" }, is: { control: 1, test: 0 } },
  ])("is the flag's call unless one is named: $config", async ({ config, is }) => {
    const exposure_config = { kind: "ExperimentEventExposureConfig", properties: [], ...config };
    const made = await service.create({ end_date, metrics: [], exposure_criteria: { exposure_config } });
    const flag = made.feature_flag_key;
    await service.send([
      called(flag, "1", "control", { [`$feature/${flag}`]: "control" }),
      { event: "seen", id: `${flag} 2`, at: 1, properties: { [`$feature/${flag}`]: "test" } },
    ]);
    expect((await resultsOf(made)).exposures.total_exposures).toEqual(is);
  });
});

describe("days that were computed", () => {
  it("are complete, partial or failed, with the newest moment of computing", async () => {
    const made = await service.create({
      end_date: "2026-03-04T12:00:00Z",
      metrics: [metric({ metric_type: "mean", source: source("order") })],
    });
    await service.send([called(made.feature_flag_key, "1", "test")]);
    await service.figures(made.id, 30);
    const [one] = made.metrics;
    const series = async () => {
      const path = `${ROOT}${made.id}/timeseries_results/?metric_uuid=${one.uuid}&fingerprint=${one.fingerprint}`;
      return (await service.api("GET", path)).json;
    };
    expect(await series()).toMatchObject({
      status: "partial",
      errors: null,
      computed_at: "2026-03-03T15:00:00.000000Z",
    });
    await service.figures(made.id, 24 * 4);
    expect(await series()).toMatchObject({
      status: "completed",
      computed_at: "2026-03-06T09:00:00.000000Z",
      updated_at: "2026-03-06T09:00:00.000000Z",
    });
  });

  it("cannot be computed again for a metric that has no uuid, or that has no figures", async () => {
    const made = await service.create({ end_date, metrics: [] });
    for (const [asked, attr] of [
      [{ metric_type: "mean", source: source("order") }, "metric__uuid"],
      [{ uuid: "", metric_type: "mean", source: source("order") }, "metric__uuid"],
      [{ uuid: "u", metric_type: "mean", source: { kind: "ActionsNode", id: 1 } }, "metric"],
      [{ uuid: "u", metric_type: "mean", source: source("order") }, "fingerprint"],
    ] as const) {
      const body = { metric: metric(asked), fingerprint: "f" };
      const { status, json } = await service.api("POST", `${ROOT}${made.id}/recalculate_timeseries/`, body);
      expect([status, json.attr]).toEqual([400, attr]);
    }
  });
});
