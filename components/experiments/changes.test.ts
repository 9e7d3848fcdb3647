import { describe, expect, it } from "vitest";
import type { ExperimentRecord } from "#lib/experiments/experiments/schema.ts";
import { findFieldConflicts, listDifferences, listOwnDifferences, mergeChange } from "./changes.ts";

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
    expect(findFieldConflicts(conflict)).toEqual([
      { part: "description", what: "Hypothesis", base: "First", theirs: "Theirs", mine: "Mine" },
      {
        part: "parameters.minimum_detectable_effect",
        what: "Minimum detectable effect",
        base: "5%",
        theirs: "7%",
        mine: "9%",
      },
    ]);
    expect(listOwnDifferences(conflict)).toEqual([
      { what: "Name", before: "Shorter form", after: "Other name" },
      { what: "People needed", before: "100", after: "200" },
    ]);
    expect(findFieldConflicts({ ...conflict, body: { description: "Theirs", archived: true } })).toEqual([]);
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
