import { expect, test } from "vitest";
import type { ChangeRequest } from "#lib/approvals/change_requests/schema.ts";
import { editorOf, entriesByPart } from "./request-parts.ts";

const ROOT = "/api/projects/7/";

test.each([
  ["a change of a flag", "PATCH", "feature_flags/3/", { filters: {} }, "feature_flags/3/targeting"],
  ["a switch of a flag", "PATCH", "feature_flags/3/", { active: true }, null],
  ["a secret payload", "PATCH", "feature_flags/3/", { filters: { payloads: { a: "(encrypted)" } } }, null],
  ["a new flag", "POST", "feature_flags/", { key: "a", filters: {} }, "feature_flags/new"],
  [
    "a new flag with what its form does not show",
    "POST",
    "feature_flags/",
    { key: "a", deleted: true },
    null,
  ],
  ["a new cohort", "POST", "cohorts/", { name: "A", is_static: true, distinct_ids: [] }, "cohorts/new"],
  ["a new experiment", "POST", "experiments/", { name: "A", parameters: {} }, "experiments/new"],
  ["a new experiment that starts at once", "POST", "experiments/", { name: "A", start_date: "2026" }, null],
  ["a new survey", "POST", "surveys/", { name: "A", questions: [] }, "surveys/new"],
  ["the launch of a survey", "PATCH", "surveys/9/", { start_date: "2026", end_date: null }, "surveys/9/edit"],
  ["a launch that renames it", "PATCH", "surveys/9/", { start_date: "2026", name: "B" }, null],
  ["a launch that is taken back", "PATCH", "surveys/9/", { start_date: null }, null],
  ["members of a cohort", "POST", "cohorts/3/add_persons_to_static_cohort/", { distinct_ids: [] }, null],
  ["a deletion", "PATCH", "cohorts/3/", { deleted: true }, null],
])("what can be edited of a request, and where: %s", (_, method, path, body, page) => {
  expect(editorOf("7", "r", 2, { method, path: `${ROOT}${path}`, body })).toBe(
    page && `/project/7/${page}?request=r&part=2`,
  );
});

test("what a call writes comes in its part, an experiment before the flag that it brings", () => {
  const entry = (scope: string, item_id: string) => ({ scope, item_id, activity: "created", detail: {} });
  const request = {
    intent: { changes: [{ path: `${ROOT}experiments/` }, { path: `${ROOT}surveys/` }] },
    intent_display: {
      entries: [entry("FeatureFlag", "4"), entry("Experiment", "2"), entry("Survey", "u")],
    },
    parts: [
      { written: ["feature_flag/4", "experiment/2"], flags: [] },
      { written: ["survey/u"], flags: [] },
    ],
  } as unknown as ChangeRequest;
  expect(entriesByPart(request)).toEqual([[1, 0], [2]]);
});
