import { describe, expect, it } from "vitest";
import { conflictingFields, flagChanges } from "./changes.ts";
import { flagUpdate } from "./schema.ts";
import type { FlagRow } from "./store.ts";

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
