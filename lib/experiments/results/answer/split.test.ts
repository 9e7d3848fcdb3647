import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HOUR, metric, START, source, startResults } from "#testing/experiment-results.ts";

let service: Awaited<ReturnType<typeof startResults>>;
beforeAll(async () => {
  service = await startResults();
});
afterAll(() => service.close());

const ROOT = "/api/projects/1/experiments/";
const FLAGS = "/api/projects/1/feature_flags/";
const DAY = 24 * HOUR;

async function done(method: string, path: string, body?: unknown) {
  const { status, json, text } = await service.api(method, path, body);
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
  return json;
}

const resultsOf = (id: number) => done("GET", `${ROOT}${id}/results/`);
const recordOf = (id: number) => done("GET", `${ROOT}${id}/`);
const patch = (id: number, body: unknown) => done("PATCH", `${ROOT}${id}/`, body);

type Variants = { key: string; rollout_percentage: number }[];
const shares = (split: Record<string, number>): Variants =>
  Object.entries(split).map(([key, rollout_percentage]) => ({ key, rollout_percentage }));

/** An experiment that has run for some days with an even split. */
const running = (fields: Record<string, unknown> = {}) =>
  service.create({
    start_date: new Date(Date.now() - 10 * DAY).toISOString(),
    metrics: [metric({ metric_type: "funnel", series: [source("paid")] })],
    ...fields,
  });

type Running = Awaited<ReturnType<typeof running>>;

async function setSplit({ feature_flag: { id } }: Running, split: Record<string, number>) {
  const { filters } = await done("GET", `${FLAGS}${id}/`);
  await done("PATCH", `${FLAGS}${id}/`, {
    filters: { ...filters, multivariate: { variants: shares(split) } },
  });
}

let people = 0;

/** Exposes so many new people of each variant, now or some days ago. */
async function expose({ feature_flag_key: flag }: Running, counts: Record<string, number>, daysAgo = 0) {
  const at = (Date.now() - daysAgo * DAY - START) / HOUR;
  await service.send(
    Object.entries(counts).flatMap(([variant, n]) =>
      Array.from({ length: n }, () => {
        people += 1;
        return {
          event: "$feature_flag_called",
          id: `person-${people}`,
          at,
          properties: { $feature_flag: flag, $feature_flag_response: variant },
        };
      }),
    ),
  );
}

const codes = (results: { health: { findings: { code: string }[] } }) =>
  results.health.findings.map(({ code }) => code);

describe("a concluded and shipped experiment", () => {
  it("keeps its split, its sample-ratio check and what was shipped, whatever becomes of the flag", async () => {
    const made = await running();
    await expose(made, { control: 120, test: 134 }, 2);
    const before = await resultsOf(made.id);
    expect(before.health.mismatch.p_value).toBeCloseTo(0.38, 2);

    const ended = await patch(made.id, {
      conclusion: "won",
      conclusion_comment: "Clearly",
      end_date: new Date().toISOString(),
      shipped_variant: "test",
    });
    const split = [
      { key: "control", name: "Control Group", rollout_percentage: 50 },
      { key: "test", name: "Test Variant", rollout_percentage: 50 },
    ];
    const record = {
      status: "stopped",
      conclusion: "won",
      conclusion_comment: "Clearly",
      concluded_at: expect.any(String),
      concluded_by: { id: 1 },
      shipped_variant: "test",
      phases: [{ variants: split }],
    };
    expect(ended).toMatchObject(record);
    expect(ended.feature_flag).toMatchObject({
      active: true,
      filters: {
        groups: [{ properties: [], rollout_percentage: 100 }],
        multivariate: { variants: shares({ control: 0, test: 100 }) },
      },
    });

    await setSplit(made, { control: 90, test: 10 });
    await done("PATCH", `${FLAGS}${made.feature_flag.id}/`, { key: `${made.feature_flag_key}-renamed` });
    await done("PATCH", `${FLAGS}${made.feature_flag.id}/`, {
      filters: { groups: [{ rollout_percentage: 100 }] },
      active: false,
    });
    const after = await resultsOf(made.id);
    expect(after.variants).toEqual(before.variants);
    expect(after.exposures.total_exposures).toEqual({ control: 120, test: 134 });
    expect(after.exposures.sample_ratio_mismatch).toEqual(before.exposures.sample_ratio_mismatch);
    expect(after.health).toMatchObject({
      mismatch: before.health.mismatch,
      findings: [],
      phases: [{ shares: { control: 50, test: 50 }, exposures: { control: 120, test: 134 } }],
    });
    const kept = await recordOf(made.id);
    expect(kept).toMatchObject(record);
    expect(kept.phases).toHaveLength(1);
    const [listed] = (await done("GET", `${ROOT}?search=${made.name}&limit=500`)).results.filter(
      ({ id }: { id: number }) => id === made.id,
    );
    expect(listed).toMatchObject(record);
  });

  it("keeps the split in its parameters, which those of running experiments on the flag follow", async () => {
    const parameters = { feature_flag_variants: shares({ control: 50, test: 50 }), keep: 1 };
    const made = await running({ parameters });
    const other = await running({ feature_flag_key: made.feature_flag_key });
    await patch(made.id, { end_date: new Date().toISOString(), conclusion: "won", shipped_variant: "test" });
    expect((await recordOf(made.id)).parameters).toEqual(parameters);
    expect((await recordOf(other.id)).parameters.feature_flag_variants).toMatchObject(
      shares({ control: 0, test: 100 }),
    );
    await setSplit(made, { control: 20, test: 80 });
    expect((await recordOf(made.id)).parameters).toEqual(parameters);
    expect(
      (await recordOf(other.id)).phases.map((phase: { variants: Variants }) => phase.variants),
    ).toMatchObject([
      shares({ control: 50, test: 50 }),
      shares({ control: 0, test: 100 }),
      shares({ control: 20, test: 80 }),
    ]);
  });

  it("continues with its flag's split if its end is undone, and shows what was served meanwhile", async () => {
    const made = await running();
    await expose(made, { control: 60, test: 60 }, 1);
    const ended = await patch(made.id, {
      end_date: new Date().toISOString(),
      conclusion: "won",
      shipped_variant: "test",
    });
    await patch(made.id, { end_date: null, conclusion: null, shipped_variant: null });
    const { version, ...flag } = ended.feature_flag;
    await done("PATCH", `${FLAGS}${flag.id}/`, {
      filters: made.feature_flag.filters,
      version,
      original_flag: ended.feature_flag,
    });
    const back = await recordOf(made.id);
    expect(back).toMatchObject({
      status: "running",
      conclusion: null,
      concluded_at: null,
      concluded_by: null,
      shipped_variant: null,
    });
    expect(back.parameters.feature_flag_variants).toMatchObject(shares({ control: 50, test: 50 }));
    // Nobody was exposed to what was shipped for a moment.
    const { health } = await resultsOf(made.id);
    expect(health.phases).toHaveLength(1);
    expect(health.findings).toEqual([]);
  });

  it.each([
    ["a running one", {}, { shipped_variant: "test" }],
    ["one that goes on", { end_date: "2026-03-09T09:00:00Z" }, { shipped_variant: "test", end_date: null }],
    ["an unknown variant", { end_date: "2026-03-09T09:00:00Z" }, { shipped_variant: "blue" }],
    ["a draft", { start_date: null }, { shipped_variant: "test" }],
    ["an empty key", { end_date: "2026-03-09T09:00:00Z" }, { shipped_variant: "" }],
    ["a number", { end_date: "2026-03-09T09:00:00Z" }, { shipped_variant: 3 }],
  ])("refuses to ship: %s", async (_, fields, body) => {
    const made = await service.create(fields);
    const { status, json } = await service.api("PATCH", `${ROOT}${made.id}/`, body);
    expect([status, json.attr]).toEqual([400, "shipped_variant"]);
    expect(await recordOf(made.id)).toMatchObject({ version: 1, feature_flag: { version: 1 } });
  });

  it("is not shipped over a flag that its caller has not seen", async () => {
    const made = await running();
    await setSplit(made, { control: 40, test: 60 });
    const { status, json } = await service.api("PATCH", `${ROOT}${made.id}/`, {
      end_date: new Date().toISOString(),
      shipped_variant: "test",
      version: made.version,
      original_experiment: made,
    });
    expect([status, json.extra.fields]).toEqual([409, ["feature_flag"]]);
    expect(await recordOf(made.id)).toMatchObject({ status: "running", shipped_variant: null });
  });
});

describe("health", () => {
  it("of a stopped experiment does not follow its flag", async () => {
    const made = await running();
    await expose(made, { control: 60, test: 60 }, 1);
    await patch(made.id, { end_date: new Date().toISOString() });
    await setSplit(made, { control: 90, test: 10 });
    const { health, variants } = await resultsOf(made.id);
    expect(health).toMatchObject({ mismatch: { p_value: 1, mismatch: false }, findings: [] });
    expect(variants.map(({ share }: { share: number }) => share)).toEqual([50, 50]);
    await patch(made.id, { end_date: null });
    const resumed = await resultsOf(made.id);
    expect(resumed.health.mismatch).toMatchObject({ p_value: 1, mismatch: false });
    expect(resumed.health.phases.map(({ shares }: { shares: object }) => shares)).toEqual([
      { control: 50, test: 50 },
      { control: 90, test: 10 },
    ]);
    expect((await recordOf(made.id)).parameters.feature_flag_variants).toMatchObject(
      shares({ control: 90, test: 10 }),
    );
  });

  it("checks everybody against the split in force at the first exposure, and reports the change", async () => {
    const made = await running();
    await expose(made, { control: 200, test: 200 }, 3);
    await setSplit(made, { control: 80, test: 20 });
    const at = Date.now();
    expect((await resultsOf(made.id)).health).toMatchObject({
      mismatch: { p_value: 1, mismatch: false },
      phases: [{ p_value: 1 }, { exposures: {}, expected: null, p_value: null, to: null }],
    });
    await expose(made, { control: 160, test: 40 });
    const { health, exposures, variants } = await resultsOf(made.id);
    expect(health.mismatch).toEqual({
      expected: { control: 360, test: 240 },
      p_value: 1,
      mismatch: false,
    });
    expect(exposures.sample_ratio_mismatch).toEqual({ expected: { control: 360, test: 240 }, p_value: 1 });
    expect(variants.map(({ share }: { share: number }) => share)).toEqual([80, 20]);
    expect(codes({ health })).toEqual(["changed_split"]);
    expect(health.findings[0].title).toContain("from control 50%, test 50% to control 80%, test 20%");
    const [first, second] = health.phases;
    expect(first).toMatchObject({
      shares: { control: 50, test: 50 },
      exposures: { control: 200, test: 200 },
    });
    expect(second).toMatchObject({
      shares: { control: 80, test: 20 },
      exposures: { control: 160, test: 40 },
    });
    expect(first.to).toBe(second.from);
    expect(Math.abs(Date.parse(second.from) - at)).toBeLessThan(60_000);
  });

  it("still finds a phase that was split wrongly, also where another hides it in the sums", async () => {
    const made = await running();
    await expose(made, { control: 300, test: 200 }, 3);
    await setSplit(made, { control: 40, test: 60 });
    await expose(made, { control: 100, test: 250 });
    const { health } = await resultsOf(made.id);
    expect(codes({ health })).toEqual(["sample_ratio_mismatch", "changed_split"]);
    expect(health.mismatch.mismatch).toBe(true);
    expect(Math.abs(health.mismatch.expected.control - 400)).toBeLessThan(15);
  });

  it("takes a start in the past from what the flag was then", async () => {
    const made = await running();
    await setSplit(made, { control: 70, test: 30 });
    const second = await running({ feature_flag_key: made.feature_flag_key });
    expect(second.phases.map(({ variants }: { variants: Variants }) => variants)).toMatchObject([
      shares({ control: 50, test: 50 }),
      shares({ control: 70, test: 30 }),
    ]);
  });

  it("starts over with a new launch; a reset that is undone brings the former record back", async () => {
    const made = await running();
    await expose(made, { control: 60, test: 60 }, 2);
    await setSplit(made, { control: 90, test: 10 });
    const before = await recordOf(made.id);
    await patch(made.id, { start_date: null });
    expect(await recordOf(made.id)).toMatchObject({ status: "draft", phases: [], launch_plan: null });
    await patch(made.id, { start_date: made.start_date });
    expect((await recordOf(made.id)).phases).toEqual(before.phases);
    await patch(made.id, { start_date: null });
    await patch(made.id, { parameters: { feature_flag_variants: shares({ control: 30, test: 70 }) } });
    await patch(made.id, { start_date: new Date().toISOString() });
    expect((await recordOf(made.id)).phases).toMatchObject([{ variants: shares({ control: 30, test: 70 }) }]);
    expect((await resultsOf(made.id)).health).toMatchObject({ total: 0, mismatch: null });
  });

  it("is the same with a holdout, paused and archived", async () => {
    const { id: holdout_id } = await done("POST", "/api/projects/1/experiment_holdouts/", {
      name: "Held",
      filters: [{ properties: [], rollout_percentage: 10 }],
    });
    const made = await running({ holdout_id });
    await expose(made, { control: 60, test: 60, [`holdout-${holdout_id}`]: 12 }, 2);
    await done("PATCH", `${FLAGS}${made.feature_flag.id}/`, { active: false });
    await patch(made.id, { archived: true });
    const { health } = await resultsOf(made.id);
    expect(health.mismatch).toMatchObject({ p_value: 1, expected: { control: 60, test: 60 } });
    expect(health.phases).toHaveLength(1);
    expect(codes({ health })).toEqual(["flag_inactive"]);
  });
});
