import { expect, it } from "vitest";
import type { ActivityEntry } from "#lib/activity/schema.ts";
import { readExperimentEntry } from "./history-words.ts";

const entry = (
  changes: Record<string, [before: unknown, after: unknown]>,
  activity = "updated",
): ActivityEntry => ({
  id: "1",
  user: { first_name: "Ada", email: "ada@example.com" },
  activity,
  scope: "Experiment",
  item_id: "1",
  detail: {
    changes: Object.entries(changes).map(([field, [before, after]]) => ({
      type: "Experiment",
      action: "changed",
      field,
      before,
      after,
    })),
    trigger: null,
    type: null,
    name: "x",
    short_id: null,
  },
  created_at: "2026-01-01T00:00:00Z",
});

const AT = "2026-01-02T03:04:05Z";

it.each([
  [{ start_date: [null, AT] }, "launched"],
  [{ start_date: [AT, null], end_date: [AT, null] }, "reset"],
  [{ start_date: ["2026-01-01T00:00:00Z", AT] }, null],
  [{ end_date: [null, AT] }, "stopped"],
  [{ end_date: [null, AT], conclusion: [null, "won"], shipped_variant: [null, "test"] }, "concluded"],
  [{ end_date: [AT, null] }, "resumed"],
  [{ archived: [false, true] }, "archived"],
  [{ deleted: [true, false] }, "restored"],
  [{ name: ["A", "B"] }, null],
] as [Record<string, [unknown, unknown]>, string | null][])("%j reads as: %s", (changes, verb) => {
  expect(readExperimentEntry(entry(changes))?.verb).toBe(verb);
});

it("tells that an experiment was launched as it was created", () => {
  expect(readExperimentEntry(entry({ start_date: [null, AT] }, "created"))?.verb).toBe(
    "created and launched",
  );
  expect(readExperimentEntry(entry({}, "created"))?.verb).toBeNull();
});

it("tells parameters and metrics one by one, in words", () => {
  const metric = (name: string) => ({
    kind: "ExperimentMetric",
    metric_type: "mean",
    uuid: "m",
    name,
    source: { kind: "EventsNode", event: "paid" },
  });
  const found = readExperimentEntry(
    entry({
      parameters: [
        { minimum_detectable_effect: 5, recommended_sample_size: 100 },
        { minimum_detectable_effect: 25, recommended_sample_size: 100 },
      ],
      metrics: [[metric("Paid")], [metric("Orders")]],
      exposure_cohort: [null, 4],
    }),
  );
  expect(found?.differences).toEqual([
    { what: "Minimum detectable effect", before: "5%", after: "25%" },
    {
      what: "Metric: Orders",
      before: "Primary metric. Paid: Number of “paid”, per person.",
      after: "Primary metric. Orders: Number of “paid”, per person.",
    },
    { what: "Cohort of exposed people", before: null, after: "4" },
  ]);
  expect(readExperimentEntry({ ...entry({}), scope: "Survey" })).toBeNull();
});
