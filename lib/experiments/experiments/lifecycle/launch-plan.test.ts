import { describe, expect, it } from "vitest";
import { experimentRow } from "#testing/experiment-row.ts";
import { meanOf } from "#testing/experiments.ts";
import { changedFields, type LaunchPlan, planOf, updateLaunchPlan } from "./launch-plan.ts";

const start = new Date("2026-02-01T00:00:00Z");
const now = new Date("2026-03-01T12:00:00Z");
const by = { now, user: { id: 7 } };
const link = (saved_metric_id: number, type: string, query: Record<string, unknown>) => ({
  id: saved_metric_id,
  experiment_id: 1,
  saved_metric_id,
  metadata: { type },
  created_at: start,
  name: `Shared ${saved_metric_id}`,
  query,
});
const stored: LaunchPlan = {
  description: "First",
  metrics: [],
  stats_config: { method: "bayesian" },
  start_date: "2026-02-01T00:00:00Z",
  launched_at: "2026-02-01T10:00:00Z",
  launched_by_id: 3,
  changes: {},
};
const draft = experimentRow({ description: "First" });
const running = experimentRow({ description: "First", start_date: start, launch_plan: stored });
const planned = (row: typeof draft, links: ReturnType<typeof link>[] = []) => ({ row, links });

describe("the plan", () => {
  it("holds the hypothesis, the primary metrics as they are defined, and the statistics", () => {
    const row = experimentRow({
      description: "More orders",
      metrics: [meanOf("paid", { fingerprint: "x" })],
      metrics_secondary: [meanOf("seen")],
    });
    const links = [link(3, "primary", meanOf("shared")), link(4, "secondary", meanOf("aside"))];
    expect(planOf({ row, links })).toEqual({
      description: "More orders",
      metrics: [meanOf("paid"), { ...meanOf("shared"), name: "Shared 3", saved_metric_id: 3 }],
      stats_config: { method: "bayesian" },
    });
  });

  it("without a hypothesis has an empty one", () => {
    expect(planOf(planned(experimentRow({ description: null }))).description).toBe("");
  });

  it.each([
    [{}, []],
    [{ description: "Second" }, ["description"]],
    [{ metrics: [meanOf("paid")] }, ["metrics"]],
    [{ stats_config: null }, ["stats_config"]],
    [{ stats_config: null, description: "", metrics: [{}] }, ["description", "metrics", "stats_config"]],
  ])("with %j differs in these fields", (fields, changed) => {
    expect(changedFields(stored, { ...planOf(planned(draft)), ...fields })).toEqual(changed);
  });
});

describe("the plan after a change", () => {
  it("of a draft is the one of its last run, or none", () => {
    expect(updateLaunchPlan(planned(draft), planned({ ...draft, description: "Second" }), by)).toBeNull();
    expect(updateLaunchPlan(planned(running), planned({ ...running, start_date: null }), by)).toEqual(stored);
  });

  it("that launches is frozen, with who launched it and when", () => {
    const after = { ...draft, start_date: start, description: "Second" };
    expect(updateLaunchPlan(planned(draft), planned(after), by)).toEqual({
      ...stored,
      description: "Second",
      launched_at: "2026-03-01T12:00:00Z",
      launched_by_id: 7,
    });
  });

  it("that launches with the start of the stored plan restores that plan", () => {
    const before = { ...running, start_date: null };
    expect(updateLaunchPlan(planned(before), planned(running), by)).toEqual(stored);
    const other = new Date("2026-02-02T00:00:00Z");
    expect(updateLaunchPlan(planned(before), planned({ ...running, start_date: other }), by)).toMatchObject({
      start_date: "2026-02-02T00:00:00Z",
      launched_by_id: 7,
    });
  });

  it("of a running experiment stays, and notes who changed what last", () => {
    const bent = { ...running, description: "Second" };
    const noted = { description: { at: "2026-03-01T12:00:00Z", by_id: 7 } };
    expect(updateLaunchPlan(planned(running), planned(bent), by)).toEqual({ ...stored, changes: noted });
    const earlier = { description: { at: "2026-02-10T00:00:00Z", by_id: 3 } };
    const before = { ...bent, launch_plan: { ...stored, changes: earlier } };
    const after = { ...before, stats_config: null };
    expect(updateLaunchPlan(planned(before), planned(after), by)?.changes).toEqual({
      ...earlier,
      stats_config: { at: "2026-03-01T12:00:00Z", by_id: 7 },
    });
    const restored = { ...before, description: "First" };
    expect(updateLaunchPlan(planned(before), planned(restored), by)?.changes).toEqual({});
  });

  it("notes another definition of a saved primary metric, not of a secondary one", () => {
    const row = {
      ...running,
      launch_plan: { ...stored, metrics: planOf(planned(draft, [paid("a")])).metrics },
    };
    expect(updateLaunchPlan(planned(row, [paid("a")]), planned(row, [paid("b")]), by)?.changes).toEqual({
      metrics: { at: "2026-03-01T12:00:00Z", by_id: 7 },
    });
    const aside = (event: string) => [paid("a"), link(4, "secondary", meanOf(event))];
    expect(updateLaunchPlan(planned(row, aside("a")), planned(row, aside("b")), by)?.changes).toEqual({});
  });

  it("moves with a corrected start; a run of before there were plans has none", () => {
    const moved = new Date("2026-01-31T00:00:00Z");
    expect(updateLaunchPlan(planned(running), planned({ ...running, start_date: moved }), by)).toEqual({
      ...stored,
      start_date: "2026-01-31T00:00:00Z",
    });
    const old = { ...running, launch_plan: null };
    expect(updateLaunchPlan(planned(old), planned({ ...old, description: "Second" }), by)).toBeNull();
  });
});

const paid = (event: string) => link(3, "primary", meanOf(event));
