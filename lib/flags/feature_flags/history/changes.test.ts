import { describe, expect, it } from "vitest";
import { REDACTED } from "#lib/flags/feature_flags/filters/payloads.ts";
import { flagUpdate } from "#lib/flags/feature_flags/schema.ts";
import type { FlagRow } from "#lib/flags/feature_flags/store.ts";
import { conflictingFields, flagChanges } from "./changes.ts";

/** Members of an update that are no fields of the flag. */
const NOT_STORED = new Set(["original_flag", "_create_in_folder", "_should_create_usage_dashboard"]);
const FIELDS = Object.keys(flagUpdate.shape).filter((field) => !NOT_STORED.has(field));

const row = (fields: object) => ({ created_at: new Date(0), ...fields }) as unknown as FlagRow;

describe("the activity of an update", () => {
  it.each(FIELDS)("tells of a changed %s", (field) => {
    const [first, second] = field === "created_at" ? [new Date(1), new Date(2)] : ["first", "second"];
    const changes = flagChanges(row({ [field]: first }), row({ [field]: second }));
    expect(changes.map((change) => [change.field, change.action])).toEqual([[field, "changed"]]);
    expect(flagChanges(row({ [field]: first }), row({ [field]: first }))).toEqual([]);
  });
});

describe("a conflict of two editors", () => {
  const original = { name: "first", active: true };
  it.each<[string, { stored: object; sent: object; fields: string[] }]>([
    [
      "both changed a field to different values",
      { stored: { name: "A" }, sent: { name: "B" }, fields: ["name"] },
    ],
    ["both changed a field to the same value", { stored: { name: "A" }, sent: { name: "A" }, fields: [] }],
    ["they changed different fields", { stored: { active: false }, sent: { name: "B" }, fields: [] }],
    [
      "the second sends a field back unchanged",
      { stored: { name: "A" }, sent: { name: "first" }, fields: [] },
    ],
  ])("where %s", (_, { stored, sent, fields }) => {
    const now = row({ ...original, version: 2, ...stored });
    expect(conflictingFields(now, { ...sent, version: 1, original_flag: original })).toEqual(fields);
    expect(conflictingFields(now, { ...sent, version: 2, original_flag: original })).toEqual([]);
    expect(conflictingFields(now, { ...sent, version: 1 })).toEqual([]);
  });
});

describe("the activity of encrypted payloads", () => {
  const filters = (payload: string, share = 100) => ({
    groups: [{ rollout_percentage: share }],
    payloads: { true: payload },
  });
  const told = (before: object, after: object) =>
    flagChanges(row(before), row(after)).flatMap((each) =>
      each.field === "filters" ? [[each.before, each.after]] : [],
    );

  it.each([
    ["encrypted all along", true, true],
    ["encrypted now", false, true],
    ["encrypted until now", true, false],
  ])("never shows them: %s", (_, was, is) => {
    const [before, after] = [filters("old", 10), filters("new", 20)];
    expect(
      told({ filters: before, has_encrypted_payloads: was }, { filters: after, has_encrypted_payloads: is }),
    ).toEqual([[filters(REDACTED, 10), filters(REDACTED, 20)]]);
  });

  it("shows payloads that never were", () => {
    expect(told({ filters: filters("old") }, { filters: filters("new") })).toEqual([
      [filters("old"), filters("new")],
    ]);
  });

  it("tells of other fields as they are, and of filters that come or go", () => {
    const encrypted = { has_encrypted_payloads: true };
    const changes = flagChanges(row({ ...encrypted, name: "A" }), row({ ...encrypted, name: "B" }));
    expect(changes).toEqual([
      { type: "FeatureFlag", action: "changed", field: "name", before: "A", after: "B" },
    ]);
    expect(told({ ...encrypted, filters: null }, { ...encrypted, filters: filters("new") })).toEqual([
      [null, filters(REDACTED)],
    ]);
    expect(told({ ...encrypted, filters: filters("old") }, { ...encrypted, filters: null })).toEqual([
      [filters(REDACTED), null],
    ]);
  });
});

it("changes are listed in one order, with moments as texts", () => {
  const before = row({ version: 1, active: true, key: "a" });
  const after = row({ key: "b", version: 2, active: false, created_at: new Date(1500) });
  expect(flagChanges(before, after).map((each) => [each.field, each.after])).toEqual([
    ["key", "b"],
    ["active", false],
    ["created_at", "1970-01-01T00:00:01.500000Z"],
    ["version", 2],
  ]);
});
