import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createExperiment, createFlag, done, FLAGS, ROOT } from "#testing/experiments.ts";
import { type Service, startService } from "#testing/service.ts";
import { variantsOf } from "./flags.ts";
import { following } from "./follow-flag.ts";
import { selectPhases } from "./phase-store.ts";
import { isSameSplit, readSubject } from "./phases.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const START = "2026-01-05T00:00:00Z";
const variant = (key: string, rollout_percentage: number) => ({ key, rollout_percentage });
const even = [variant("control", 50), variant("test", 50)];
const uneven = [variant("control", 10), variant("test", 90)];
const groups = [{ properties: [], rollout_percentage: 100 }];
const filtersWith = (variants: object[], more = {}) => ({ groups, multivariate: { variants }, ...more });

const retrieve = (id: number) => done(service.api("GET", `${ROOT}${id}/`));
const patch = (id: number, body: unknown) => done(service.api("PATCH", `${ROOT}${id}/`, body));
const patchFlag = (id: number, body: unknown) => done(service.api("PATCH", `${FLAGS}${id}/`, body));
type PhaseRecord = { from: string; to: string | null; variants: { rollout_percentage: number }[] };
const testShares = ({ phases }: { phases: PhaseRecord[] }) =>
  phases.map(({ variants }) => variants[1]?.rollout_percentage);

describe("the splits of a run", () => {
  it("a draft has none", async () => {
    const made = await createExperiment(service);
    await patchFlag(made.feature_flag.id, { filters: filtersWith(uneven) });
    expect((await retrieve(made.id)).phases).toEqual([]);
    expect(await selectPhases(service.db, [made.id])).toEqual([]);
    expect(await selectPhases(service.db, [])).toEqual([]);
  });

  it("follow one another without a gap, from the start to the end", async () => {
    const made = await createExperiment(service, { start_date: START });
    await patchFlag(made.feature_flag.id, { filters: filtersWith(uneven) });
    const running = await retrieve(made.id);
    expect(testShares(running)).toEqual([50, 90]);
    const [first, second] = running.phases;
    expect([first.from, second.to]).toEqual([START, null]);
    expect(first.to).toBe(second.from);
    const end_date = new Date(Date.now() + 86_400_000).toISOString();
    const stopped = await patch(made.id, { end_date });
    expect(stopped.phases).toEqual([first, { ...second, to: stopped.end_date }]);
  });

  it("do not differ by names, release conditions or what is only planned", async () => {
    const made = await createExperiment(service, { start_date: START });
    const named = even.map((each) => ({ ...each, name: `The ${each.key}` }));
    await patchFlag(made.feature_flag.id, { filters: filtersWith(named) });
    await patchFlag(made.feature_flag.id, {
      filters: { ...filtersWith(named), groups: [{ properties: [], rollout_percentage: 30 }] },
    });
    const after = await patch(made.id, { parameters: { feature_flag_variants: uneven } });
    expect(after.phases).toEqual([{ from: START, to: null, variants: named.map((each) => ({ ...each })) }]);
  });

  it("do not know of changes after the end", async () => {
    const made = await createExperiment(service, { start_date: START, end_date: "2026-02-01T00:00:00Z" });
    await patchFlag(made.feature_flag.id, { filters: filtersWith(uneven) });
    const after = await retrieve(made.id);
    expect(testShares(after)).toEqual([50]);
    expect(after.phases[0].to).toBe("2026-02-01T00:00:00Z");
  });

  it("of all launched experiments on a flag are recorded, and of no other", async () => {
    const first = await createExperiment(service, { start_date: START });
    const key = first.feature_flag_key;
    const second = await createExperiment(service, { feature_flag_key: key, start_date: START });
    const draft = await createExperiment(service, { feature_flag_key: key });
    const elsewhere = await createExperiment(service, { start_date: START });
    await patch(first.id, {
      parameters: { feature_flag_variants: uneven },
      update_feature_flag_params: true,
    });
    expect(testShares(await retrieve(first.id))).toEqual([50, 90]);
    expect(testShares(await retrieve(second.id))).toEqual([50, 90]);
    expect(testShares(await retrieve(draft.id))).toEqual([]);
    expect(testShares(await retrieve(elsewhere.id))).toEqual([50]);
  });
});

describe("a start in the past", () => {
  it("finds in the flag's log what it was since then", async () => {
    const flag = await createFlag(service, "old-flag", ["control", "test"]);
    await patchFlag(flag.id, { filters: filtersWith(uneven, { aggregation_group_type_index: 1 }) });
    await patchFlag(flag.id, { key: "new-flag", name: "Renamed" });
    const made = await createExperiment(service, { feature_flag_key: "new-flag", start_date: START });
    expect(testShares(made)).toEqual([50, 90]);
    const rows = await selectPhases(service.db, [made.id]);
    expect(rows[0]).toMatchObject({
      started_at: new Date(START),
      flag_key: "old-flag",
      variants: even,
      aggregation_group_type_index: null,
    });
    expect(rows.at(-2)).toMatchObject({ flag_key: "old-flag", aggregation_group_type_index: 1 });
    expect(rows.at(-1)).toMatchObject({
      flag_key: "new-flag",
      variants: uneven,
      aggregation_group_type_index: 1,
    });
  });

  it("that is given to a draft later does so, too", async () => {
    const made = await createExperiment(service);
    await patch(made.id, { parameters: { feature_flag_variants: uneven } });
    expect(testShares(await patch(made.id, { start_date: START }))).toEqual([50, 90]);
  });

  it("of after the last change knows one split", async () => {
    const made = await createExperiment(service);
    await patch(made.id, { parameters: { feature_flag_variants: uneven } });
    const start_date = new Date().toISOString();
    expect(testShares(await patch(made.id, { start_date }))).toEqual([90]);
  });
});

it("until a start that is still to come the flag may change: the run begins with what it is then", async () => {
  const start_date = "2099-01-01T00:00:00Z";
  const made = await createExperiment(service, { start_date });
  await patchFlag(made.feature_flag.id, { filters: filtersWith(uneven) });
  const after = await retrieve(made.id);
  expect(testShares(after)).toEqual([90]);
  expect(after.phases[0]).toMatchObject({ from: start_date, to: null });
});

describe("experiments on a flag that is changed", () => {
  it("note it in their log as an update", async () => {
    const made = await createExperiment(service, { start_date: START });
    await patchFlag(made.feature_flag.id, { filters: filtersWith(uneven) });
    const log = await done(service.api("GET", `${ROOT}${made.id}/activity/`));
    expect(log.results[0]).toMatchObject({
      activity: "updated",
      item_id: String(made.id),
      user: { email: made.created_by.email },
      detail: {
        name: made.name,
        changes: [{ field: "parameters", after: { feature_flag_variants: uneven } }],
      },
    });
    expect((await retrieve(made.id)).version).toBe(2);
  });

  it.each([
    ["nothing", null, filtersWith(even), { feature_flag_variants: even }],
    [
      "their own parameters",
      { note: 1, feature_flag_variants: uneven },
      filtersWith(even),
      { note: 1, feature_flag_variants: even },
    ],
    [
      "another kind of group",
      { aggregation_group_type_index: 1 },
      filtersWith(even, { aggregation_group_type_index: 0 }),
      { feature_flag_variants: even, aggregation_group_type_index: 0 },
    ],
    [
      "a kind of group that the flag no longer has",
      { aggregation_group_type_index: 1 },
      filtersWith(even, { aggregation_group_type_index: null }),
      { feature_flag_variants: even },
    ],
    ["a flag without variants", { note: 1 }, { groups }, { note: 1, feature_flag_variants: [] }],
  ])("with %s take its variants and its kind of group", (_, parameters, filters, expected) => {
    expect(following(parameters, filters)).toEqual(expected);
  });
});

describe("what figures depend on of a flag", () => {
  it.each([
    ["no filters", {}, [], null],
    ["multivariate of null", { multivariate: null }, [], null],
    ["variants that are no list", { multivariate: { variants: {} } }, [], null],
    ["variants", filtersWith(uneven), uneven, null],
    ["a kind of group", filtersWith(even, { aggregation_group_type_index: 0 }), even, 0],
    ["a kind of group of an odd form", filtersWith(even, { aggregation_group_type_index: "0" }), even, null],
  ])("is read from %s", (_, filters, variants, aggregation_group_type_index) => {
    expect(variantsOf(filters)).toEqual(variants);
    expect(readSubject("checkout", filters)).toEqual({
      flag_key: "checkout",
      variants,
      aggregation_group_type_index,
    });
  });

  it.each([
    [even, even.map((each) => ({ ...each, name: "Other" })), true],
    [even, uneven, false],
    [even, [...even].reverse(), false],
    [even, [...even, variant("b", 0)], false],
    [even, [variant("control", 50), variant("b", 50)], false],
  ])("%j and %j are the same split: %s", (a, b, is) => {
    expect(isSameSplit(a, b)).toBe(is);
  });
});
