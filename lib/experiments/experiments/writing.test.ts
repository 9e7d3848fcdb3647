import { describe, expect, it } from "vitest";
import { experimentRow } from "#testing/experiment-row.ts";
import { meanOf } from "#testing/experiments.ts";
import { computeFingerprint } from "./metrics/fingerprint.ts";
import type { ExperimentRow } from "./store.ts";
import { conclusionFields, listChanges, withFingerprints, withoutFingerprints } from "./writing.ts";

const now = new Date("2026-03-01T12:00:00Z");

it.each([
  ["a conclusion", null, "won", { concluded_at: now, concluded_by_id: 7 }],
  ["another conclusion", "won", "lost", { concluded_at: now, concluded_by_id: 7 }],
  ["one that is taken back", "won", null, { concluded_at: null, concluded_by_id: null }],
  ["the same conclusion", "won", "won", {}],
  ["none as before", null, null, {}],
] as const)("%s: who concluded is %s → %s", (_, before, after, expected) => {
  const context = { now, user: { id: 7 } } as Parameters<typeof conclusionFields>[0];
  expect(conclusionFields(context, { conclusion: before }, { conclusion: after })).toEqual(expected);
});

it("every metric, primary or secondary, is stored with its fingerprint in this experiment", () => {
  const row = experimentRow({
    start_date: now,
    metrics: [meanOf("paid", { uuid: "a", fingerprint: "old" })],
    metrics_secondary: [meanOf("seen", { uuid: "b" })],
  });
  expect(withFingerprints(row)).toEqual({
    ...row,
    metrics: [meanOf("paid", { uuid: "a", fingerprint: computeFingerprint(meanOf("paid"), row) })],
    metrics_secondary: [meanOf("seen", { uuid: "b", fingerprint: computeFingerprint(meanOf("seen"), row) })],
  });
  expect(withoutFingerprints(withFingerprints(row).metrics)).toEqual([meanOf("paid", { uuid: "a" })]);
});

describe("what a change tells the log", () => {
  const before = experimentRow();
  const link = { saved_metric_id: 3, metadata: { type: "primary" } };

  it.each<[string, unknown, Partial<ExperimentRow>, unknown, string]>([
    ["name", "Checkout", { name: "New" }, "New", "changed"],
    ["description", "", { description: "Why" }, "Why", "created"],
    ["start_date", null, { start_date: now }, "2026-03-01T12:00:00Z", "created"],
    ["end_date", null, { end_date: now }, "2026-03-01T12:00:00Z", "created"],
    ["holdout_id", null, { holdout_id: 2 }, 2, "created"],
    ["parameters", {}, { parameters: { note: 1 } }, { note: 1 }, "created"],
    ["exposure_criteria", {}, { exposure_criteria: null }, null, "created"],
    ["secondary_metrics", [], { secondary_metrics: [1] }, [1], "created"],
    ["filters", {}, { filters: { a: 1 } }, { a: 1 }, "created"],
    [
      "stats_config",
      { method: "bayesian" },
      { stats_config: { method: "frequentist" } },
      { method: "frequentist" },
      "changed",
    ],
    ["primary_metrics_ordered_uuids", null, { primary_metrics_ordered_uuids: ["a"] }, ["a"], "created"],
    ["secondary_metrics_ordered_uuids", null, { secondary_metrics_ordered_uuids: ["a"] }, ["a"], "created"],
    ["exposure_cohort", null, { exposure_cohort_id: 5 }, 5, "created"],
    ["conclusion", null, { conclusion: "won" }, "won", "created"],
    ["conclusion_comment", null, { conclusion_comment: "+4 %" }, "+4 %", "created"],
    ["shipped_variant", null, { shipped_variant: "test" }, "test", "created"],
    ["archived", false, { archived: true }, true, "changed"],
    ["deleted", false, { deleted: true }, true, "changed"],
    ["metrics", [], { metrics: [meanOf("paid", { fingerprint: "x" })] }, [meanOf("paid")], "created"],
    [
      "metrics_secondary",
      [],
      { metrics_secondary: [meanOf("paid", { fingerprint: "x" })] },
      [meanOf("paid")],
      "created",
    ],
  ])("%s", (field, from, fields, to, action) => {
    expect(listChanges({ row: before, links: [] }, { row: { ...before, ...fields }, links: [] })).toEqual([
      { type: "Experiment", action, field, before: from, after: to },
    ]);
  });

  it("saved metrics", () => {
    expect(listChanges({ row: before, links: [link] }, { row: before, links: [] })).toEqual([
      {
        type: "Experiment",
        action: "deleted",
        field: "saved_metrics",
        before: [{ id: 3, metadata: { type: "primary" } }],
        after: [],
      },
    ]);
  });

  it("several at once, in the order of the record; bookkeeping and fingerprints are not told", () => {
    const row = {
      ...before,
      archived: true,
      name: "New",
      version: 2,
      updated_at: now,
      last_modified_by_id: 9,
      launch_plan: {},
      concluded_at: now,
    };
    expect(listChanges({ row: before, links: [] }, { row, links: [] }).map(({ field }) => field)).toEqual([
      "name",
      "archived",
    ]);
    const measured = (fingerprint: string) => experimentRow({ metrics: [meanOf("paid", { fingerprint })] });
    expect(listChanges({ row: measured("a"), links: [] }, { row: measured("b"), links: [] })).toEqual([]);
  });
});
