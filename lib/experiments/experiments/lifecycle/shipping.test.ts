import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createExperiment, done, FLAGS, ROOT } from "#testing/experiments.ts";
import { type Service, startService } from "#testing/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const START = "2026-01-05T00:00:00Z";
const END = "2026-02-01T00:00:00Z";
const send = (id: number, body: unknown) => service.api("PATCH", `${ROOT}${id}/`, body);
const patch = (id: number, body: unknown) => done(send(id, body));
const patchFlag = (id: number, body: unknown) => done(service.api("PATCH", `${FLAGS}${id}/`, body));
const sharesOf = (experiment: { feature_flag: { filters: Record<string, never> } }) =>
  Object.fromEntries(
    (
      experiment.feature_flag.filters as unknown as {
        multivariate: { variants: { key: string; rollout_percentage: number }[] };
      }
    ).multivariate.variants.map(({ key, rollout_percentage }) => [key, rollout_percentage]),
  );
const split = (shares: Record<string, number>) => ({
  groups: [{ properties: [], rollout_percentage: 100 }],
  multivariate: {
    variants: Object.entries(shares).map(([key, rollout_percentage]) => ({ key, rollout_percentage })),
  },
});

describe("shipping a variant", () => {
  it("with the end gives it to everybody, and switches a paused flag on", async () => {
    const made = await createExperiment(service, { start_date: START });
    await patchFlag(made.feature_flag.id, {
      active: false,
      filters: {
        ...made.feature_flag.filters,
        groups: [{ properties: [{ key: "plan", type: "person", value: "pro" }], rollout_percentage: 20 }],
      },
    });
    const shipped = await patch(made.id, { end_date: END, shipped_variant: "test", conclusion: "won" });
    expect(shipped).toMatchObject({
      status: "stopped",
      shipped_variant: "test",
      concluded_at: expect.any(String),
      concluded_by: { id: 1 },
      feature_flag: {
        active: true,
        filters: { groups: [{ properties: [], rollout_percentage: 100, variant: null }] },
      },
    });
    expect(sharesOf(shipped)).toEqual({ control: 0, test: 100 });
    // What comes after the end is no part of the run.
    expect(shipped.phases).toHaveLength(1);
    expect(shipped.phases[0]).toMatchObject({ from: START, to: END });
    expect(
      shipped.phases[0].variants.map((each: { rollout_percentage: number }) => each.rollout_percentage),
    ).toEqual([50, 50]);
  });

  it("is possible after the end, too; the split that it ran with stays in the record", async () => {
    const made = await createExperiment(service, { start_date: START, end_date: END });
    const shipped = await patch(made.id, { shipped_variant: "control" });
    expect(sharesOf(shipped)).toEqual({ control: 100, test: 0 });
    expect(shipped.parameters).toEqual(made.parameters);
    expect(shipped.phases).toEqual(made.phases);
  });

  it("at an end a little later than the server's clock is no part of the run", async () => {
    const made = await createExperiment(service, { start_date: START });
    const end_date = new Date(Date.now() + 3_600_000).toISOString();
    const shipped = await patch(made.id, { end_date, shipped_variant: "test" });
    expect(shipped.phases).toHaveLength(1);
    expect(shipped.phases[0].variants[1]).toMatchObject({ key: "test", rollout_percentage: 50 });
  });

  it.each([
    ["of a draft", {}, { shipped_variant: "test" }],
    ["of a draft with an end", {}, { shipped_variant: "test", end_date: END }],
    ["of a running experiment", { start_date: START }, { shipped_variant: "test" }],
    [
      "of one whose end is taken back",
      { start_date: START, end_date: END },
      { shipped_variant: "test", end_date: null },
    ],
    [
      "of one that becomes a draft",
      { start_date: START, end_date: END },
      { shipped_variant: "test", start_date: null },
    ],
    ["that it does not have", { start_date: START, end_date: END }, { shipped_variant: "other" }],
  ])("%s is refused, and the flag stays as it is", async (_, fields, body) => {
    const made = await createExperiment(service, fields);
    const { status, json } = await send(made.id, body);
    expect([status, json.code, json.attr]).toEqual([400, "invalid_input", "shipped_variant"]);
    expect(await done(service.api("GET", `${ROOT}${made.id}/`))).toEqual(made);
  });

  it("is refused where the flag was changed since the caller read it", async () => {
    const made = await createExperiment(service, { start_date: START, end_date: END });
    const ships = { shipped_variant: "test", version: made.version, original_experiment: made };
    await patchFlag(made.feature_flag.id, { name: "Only its name" });
    await patchFlag(made.feature_flag.id, { filters: split({ control: 20, test: 80 }) });
    const { status, json } = await send(made.id, ships);
    expect([status, json.code, json.extra.fields]).toEqual([409, "conflict", ["feature_flag"]]);
    expect(json.detail).toContain(made.feature_flag_key);
    expect(await done(service.api("GET", `${ROOT}${made.id}/`))).toMatchObject({ shipped_variant: null });
    const seen = await done(service.api("GET", `${ROOT}${made.id}/`));
    expect(await patch(made.id, { ...ships, original_experiment: seen })).toMatchObject({
      shipped_variant: "test",
    });
  });

  it("does not mind that only the flag's name was changed since", async () => {
    const made = await createExperiment(service, { start_date: START, end_date: END });
    await patchFlag(made.feature_flag.id, { name: "Only its name" });
    const ships = { shipped_variant: "test", version: made.version, original_experiment: made };
    expect((await patch(made.id, ships)).shipped_variant).toBe("test");
  });

  it("reaches the other experiments on the flag that have not ended", async () => {
    const made = await createExperiment(service, { start_date: START, end_date: END });
    const other = await createExperiment(service, {
      feature_flag_key: made.feature_flag_key,
      start_date: START,
    });
    await patch(made.id, { shipped_variant: "test" });
    const after = await done(service.api("GET", `${ROOT}${other.id}/`));
    expect(after.parameters.feature_flag_variants).toMatchObject([
      { key: "control", rollout_percentage: 0 },
      { key: "test", rollout_percentage: 100 },
    ]);
    expect(after.phases).toHaveLength(2);
  });
});

describe("an experiment that ended", () => {
  it("keeps its split when its flag is changed, and takes the flag's when it goes on", async () => {
    const made = await createExperiment(service, {
      start_date: START,
      end_date: END,
      parameters: { minimum_detectable_effect: 5 },
    });
    await patchFlag(made.feature_flag.id, { filters: split({ control: 10, b: 90 }) });
    const ended = await done(service.api("GET", `${ROOT}${made.id}/`));
    expect([ended.parameters, ended.phases, ended.version]).toEqual([made.parameters, made.phases, 1]);
    const resumed = await patch(made.id, { end_date: null });
    expect(resumed.parameters).toEqual({
      minimum_detectable_effect: 5,
      feature_flag_variants: [
        { key: "control", rollout_percentage: 10 },
        { key: "b", rollout_percentage: 90 },
      ],
    });
    expect(resumed.phases).toMatchObject([{ from: START }, { to: null, variants: [{}, { key: "b" }] }]);
  });

  it("that goes on with parameters of its own has those", async () => {
    const made = await createExperiment(service, { start_date: START, end_date: END });
    const parameters = { minimum_detectable_effect: 9 };
    expect((await patch(made.id, { end_date: null, parameters })).parameters).toEqual(parameters);
  });
});
