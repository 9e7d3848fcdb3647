import { describe, expect, it } from "vitest";
import { newFilters } from "#components/conditions/editor/draft.ts";
import { isComplete, operatorOptions, withOperator } from "#components/conditions/editor/property-kinds.ts";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import {
  bodyOf,
  changedFields,
  type FlagBody,
  formOf,
  newForm,
  pathOfError,
  placeOfError,
  problemsOf,
  suggestKey,
} from "./form-values.ts";

const stored = {
  id: 5,
  key: "new-checkout",
  name: "",
  active: true,
  tags: ["a"],
  filters: { groups: [{ properties: [], rollout_percentage: 40 }] },
  evaluation_runtime: null,
  ensure_experience_continuity: null,
  is_remote_configuration: null,
  has_encrypted_payloads: null,
} as unknown as FlagRecord;

const body = (change: Partial<FlagBody> = {}): FlagBody => ({ ...bodyOf(formOf(stored)), ...change });

describe("the form of a flag", () => {
  it("starts off, for everyone, with the settings of a new flag", () => {
    const { filters, ...settings } = newForm();
    expect(settings).toEqual({
      name: "",
      key: "",
      active: false,
      evaluation_runtime: "all",
      tags: [],
      ensure_experience_continuity: false,
      is_remote_configuration: false,
      has_encrypted_payloads: false,
    });
    expect(bodyOf({ ...settings, filters }).filters).toEqual(newFilters());
  });

  it("has what is stored, and the settings of a new flag for what is null", () => {
    expect(bodyOf(formOf(stored))).toEqual({
      name: "",
      key: "new-checkout",
      active: true,
      tags: ["a"],
      filters: stored.filters,
      evaluation_runtime: "all",
      ensure_experience_continuity: false,
      is_remote_configuration: false,
      has_encrypted_payloads: false,
    });
  });
});

describe("what a save sends", () => {
  it("is nothing for a flag that was only looked at, whatever settings it lacks", () => {
    expect(changedFields(body(), stored)).toEqual({});
  });

  it("is only what differs", () => {
    expect(changedFields(body({ tags: ["a", "b"], active: true }), stored)).toEqual({ tags: ["a", "b"] });
  });
});

describe("problems are shown at their fields", () => {
  it.each([
    ["", "key", "This field may not be blank."],
    ["no spaces", "key", "Only letters, numbers, hyphens (-) & underscores (_) are allowed."],
  ] as const)("key %j", (key, field, message) => {
    expect(problemsOf(body({ key }), 5)[field]?.message).toBe(message);
  });

  it("a row is found by its path", () => {
    const row = { key: "plan", type: "person", operator: "exact", value: undefined };
    const filters = { groups: [{ properties: [] }, { properties: [row] }] };
    const error = problemsOf(body({ filters }), 5).filters;
    expect(pathOfError(error as { type: string })).toEqual(["groups", 1, "properties", 0, "value"]);
  });

  it("a new form only lacks its key", () => {
    expect(Object.keys(problemsOf(bodyOf(newForm()), null))).toEqual(["key"]);
  });

  it.each([
    [{ detail: "taken", attr: "key" }, "key", []],
    [
      { detail: "bad", attr: "filters", extra: { path: ["payloads", "true"] } },
      "filters",
      ["payloads", "true"],
    ],
    [{ detail: "others depend on it", attr: null }, "root", []],
    [{ detail: "no such field", attr: "analytics_dashboards" }, "root", []],
    [{ detail: "tag too long", attr: "tags__0" }, "tags", []],
  ])("the API's %j goes to %s", (error, field, path) => {
    const place = placeOfError(error);
    expect(place.field).toBe(field);
    expect(place.error.message).toBe(error.detail);
    expect(pathOfError(place.error)).toEqual(path);
  });
});

it.each([
  ["New checkout, phase 2!", "new-checkout-phase-2"],
  ["  Ünïcode Çafé ", "unicode-cafe"],
  ["日本", ""],
])("%j suggests the key %j", (description, key) => {
  expect(suggestKey(description)).toBe(key);
});

describe("operators of a row", () => {
  it.each([
    ["icontains", ["pro", "team"], "pro"],
    ["exact", "pro", ["pro"]],
    ["gt", "12", "12"],
    ["gt", "many", ""],
    ["is_date_after", "-7d", "-7d"],
    ["is_date_after", "pro", ""],
    ["is_set", ["pro"], "is_set"],
  ])("to %s carries %j over as %j", (operator, value, kept) => {
    const from = operator === "exact" ? "icontains" : "exact";
    expect(withOperator({ key: "p", type: "person", operator: from, value }, operator).value).toEqual(kept);
  });

  it("offers what fits the property, and always what is there", () => {
    const values = (type: "number" | "date", present: string) =>
      operatorOptions(type, present).map((option) => option.value);
    expect(values("number", "exact")).not.toContain("regex");
    expect(values("number", "regex")).toContain("regex");
    const forName = (name: string, present = "exact") =>
      operatorOptions("text", present, name).filter((option) => option.value.startsWith("semver_")).length;
    expect([forName("email"), forName("email", "semver_gt") > 0, forName("$app_version") > 0]).toEqual([
      0,
      true,
      true,
    ]);
    expect(values("date", "is_set")).toEqual([
      "is_date_before",
      "is_date_after",
      "is_date_exact",
      "is_set",
      "is_not_set",
    ]);
  });

  it.each([
    [{ key: "", type: "person", value: ["x"] }, false],
    [{ key: "p", type: "person", value: [] }, false],
    [{ key: "p", type: "person", operator: "is_set", value: undefined }, true],
    [{ key: "id", type: "cohort", value: "" }, false],
    [{ key: "id", type: "cohort", value: 3 }, true],
    [{ key: "7", type: "flag", value: false }, true],
  ])("%j is complete: %s", (row, complete) => {
    expect(isComplete(row)).toBe(complete);
  });
});
