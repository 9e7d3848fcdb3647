import { describe, expect, it } from "vitest";
import type { ExperimentRecord } from "#lib/experiments/experiments/schema.ts";
import { findPartConflicts, listDifferences, listOwnDifferences, mergeChange } from "./changes.ts";

const record = (more: Partial<ExperimentRecord> = {}) =>
  ({
    name: "Shorter form",
    description: "First",
    start_date: null,
    end_date: null,
    feature_flag_key: "form",
    holdout: null,
    holdout_id: null,
    parameters: { minimum_detectable_effect: 5, recommended_sample_size: 100 },
    saved_metrics: [],
    archived: false,
    deleted: false,
    exposure_criteria: {},
    metrics: [{ kind: "ExperimentMetric", metric_type: "mean", name: "Paid", uuid: "m", fingerprint: "1" }],
    metrics_secondary: [],
    stats_config: { method: "bayesian" },
    conclusion: null,
    conclusion_comment: null,
    shipped_variant: null,
    version: 1,
    ...more,
  }) as ExperimentRecord;

const base = record();
const current = record({
  description: "Theirs",
  parameters: { minimum_detectable_effect: 7, recommended_sample_size: 100 },
  archived: true,
  version: 3,
});
const body = {
  description: "Mine",
  name: "Other name",
  parameters: { minimum_detectable_effect: 9, recommended_sample_size: 200 },
};
const conflict = { base, current, body };

describe("two versions of an experiment", () => {
  it("differ part by part, in words; fingerprints and versions are ignored", () => {
    expect(listDifferences(base, current)).toEqual([
      { what: "Hypothesis", before: "First", after: "Theirs" },
      { what: "Minimum detectable effect", before: "5%", after: "7%" },
      { what: "Archived", before: "No", after: "Yes" },
    ]);
    const recounted = record({ metrics: [{ ...base.metrics[0], fingerprint: "2" }], version: 9 });
    expect(listDifferences(base, recounted)).toEqual([]);
  });

  it("conflict where both changed the same part to different values", () => {
    expect(findPartConflicts(conflict)).toEqual([
      { part: "description", what: "Hypothesis", theirs: "Theirs", mine: "Mine" },
      {
        part: "parameters.minimum_detectable_effect",
        what: "Minimum detectable effect",
        theirs: "7%",
        mine: "9%",
      },
    ]);
    expect(listOwnDifferences(conflict)).toEqual([
      { what: "Name", before: "Shorter form", after: "Other name" },
      { what: "People needed", before: "100", after: "200" },
    ]);
    expect(findPartConflicts({ ...conflict, body: { description: "Theirs", archived: true } })).toEqual([]);
  });

  it("are merged by what was chosen for each part", () => {
    expect(mergeChange(conflict, new Set())).toEqual({
      description: "Mine",
      name: "Other name",
      parameters: { minimum_detectable_effect: 9, recommended_sample_size: 200 },
    });
    const theirs = new Set(["description", "parameters.minimum_detectable_effect"]);
    expect(mergeChange(conflict, theirs)).toEqual({
      name: "Other name",
      parameters: { minimum_detectable_effect: 7, recommended_sample_size: 200 },
    });
    expect(mergeChange({ ...conflict, body: { description: "Mine" } }, theirs)).toEqual({});
  });
});

describe("metrics that two people changed", () => {
  const metric = (uuid: string, name: string) => ({
    kind: "ExperimentMetric",
    metric_type: "mean",
    uuid,
    name,
    source: { kind: "EventsNode", event: uuid },
  });
  const link = (id: number, type: string) => ({
    id: 10 + id,
    experiment: 1,
    saved_metric: id,
    metadata: { type },
    created_at: "",
    query: metric(`s${id}`, `Saved ${id}`),
    name: `Saved ${id}`,
  });
  const [paid, sent, lost] = [metric("p", "Paid"), metric("s", "Sent"), metric("l", "Lost")];
  const first = record({ metrics: [paid, sent, lost], saved_metrics: [link(1, "primary")] });
  const theirs = record({
    metrics: [paid, metric("s", "Sent out")],
    metrics_secondary: [lost],
    saved_metrics: [link(1, "primary"), link(2, "secondary")],
  });

  it("are merged one by one, also where one was moved, added or removed", () => {
    const body = {
      metrics: [metric("p", "Paid up"), sent, lost, metric("n", "New")],
      saved_metrics_ids: [],
    };
    const conflict = { base: first, current: theirs, body };
    expect(findPartConflicts(conflict)).toEqual([]);
    expect(mergeChange(conflict)).toEqual({
      metrics: [metric("p", "Paid up"), metric("s", "Sent out"), metric("n", "New")],
      saved_metrics_ids: [{ id: 2, metadata: { type: "secondary" } }],
    });
    expect(listOwnDifferences(conflict).map(({ what, before, after }) => [what, !before, !after])).toEqual([
      ["Metric: Paid up", false, false],
      ["Saved metric: Saved 1", false, true],
      ["Metric: New", true, false],
    ]);
  });

  it("are a choice where both changed the same one", () => {
    const conflict = { base: first, current: theirs, body: { metrics: [paid, metric("s", "Mailed")] } };
    const found = findPartConflicts(conflict);
    expect(found.map(({ what, mine }) => [what, mine])).toEqual([
      ["Metric: Sent out", "Primary metric. Mailed: Number of “s”, per person."],
      ["Metric: Lost", "Removed"],
    ]);
    expect(mergeChange(conflict, new Set(["metric.s"]))).toEqual({ metrics_secondary: [] });
  });
});
