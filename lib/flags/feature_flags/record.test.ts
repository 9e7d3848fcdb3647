import { describe, expect, it } from "vitest";
import { flagWith } from "#testing/flags.ts";
import { recordBytes, recordOf, type Viewer } from "./record.ts";

const accounts = () => ({ users: new Map() }) as unknown as Viewer["accounts"];
const viewer: Viewer = {
  accounts: accounts(),
  user_id: 2,
  is_admin: false,
  now: new Date("2026-01-02T00:00:00Z"),
};
const MUCH_LATER = new Date("2026-03-01T00:00:00Z");
const plan = { key: "plan", type: "person", operator: "exact", value: "pro" };

describe("the record of a flag", () => {
  it.each<[string, Record<string, unknown>, boolean, number | null]>([
    ["one set", { groups: [{ properties: [], rollout_percentage: 40 }] }, true, 40],
    ["one set for nobody", { groups: [{ rollout_percentage: 0 }] }, true, 0],
    ["one set for everyone", { groups: [{ rollout_percentage: null }] }, true, null],
    ["one set for persons", { groups: [{}], aggregation_group_type_index: null }, true, null],
    ["no filters", {}, true, null],
    ["no set", { groups: [] }, false, null],
    ["one set with a row", { groups: [{ properties: [plan], rollout_percentage: 40 }] }, false, null],
    ["two sets", { groups: [{ rollout_percentage: 40 }, { rollout_percentage: 40 }] }, false, null],
    [
      "one set for groups",
      { groups: [{ rollout_percentage: 40 }], aggregation_group_type_index: 0 },
      false,
      null,
    ],
  ])("says whether it is simple: %s", (_, filters, is_simple_flag, rollout_percentage) => {
    expect(recordOf(flagWith({ filters }), viewer)).toMatchObject({ is_simple_flag, rollout_percentage });
  });

  it.each<[string, number | null, boolean, string]>([
    ["who made it", 2, false, "manager"],
    ["an administrator", 7, true, "manager"],
    ["another member", 7, false, "editor"],
    ["a member, where nobody is known to have made it", null, false, "editor"],
  ])("says what %s may do", (_, created_by_id, is_admin, user_access_level) => {
    const flag = flagWith({ created_by_id });
    const looking = { ...viewer, is_admin };
    expect(recordOf(flag, looking)).toMatchObject({ user_access_level, can_edit: true });
    expect(JSON.parse(String(recordBytes(flag, looking))).user_access_level).toBe(user_access_level);
  });

  it("has its moments as texts and names what could not be read", () => {
    const flag = flagWith({
      last_called_at: new Date("2026-01-01T10:00:00.5Z"),
      unreadable_fields: ["filters.payloads"],
    });
    expect(recordOf(flag, viewer)).toMatchObject({
      created_at: "2026-01-01T00:00:00.000000Z",
      last_called_at: "2026-01-01T10:00:00.500000Z",
      unreadable_fields: ["filters.payloads"],
    });
    const plain = recordOf(flagWith(), viewer);
    expect(plain.last_called_at).toBeNull();
    expect(plain).not.toHaveProperty("unreadable_fields");
  });
});

describe("the record as JSON", () => {
  /** A flag that counts how often it is written out. */
  const counted = () => {
    const found = { writings: 0, flag: flagWith() };
    Object.defineProperty(found.flag, "name", {
      get() {
        found.writings += 1;
        return "";
      },
    });
    return found;
  };

  it("is that of the record", () => {
    const flag = flagWith();
    expect(String(recordBytes(flag, viewer))).toBe(JSON.stringify(recordOf(flag, viewer)));
  });

  it("is written once for each kind of viewer", () => {
    const found = counted();
    for (const is_admin of [true, false, true, false]) recordBytes(found.flag, { ...viewer, is_admin });
    expect(found.writings).toBe(2);
  });

  it("is written again with another status and other people", () => {
    const found = counted();
    expect(JSON.parse(String(recordBytes(found.flag, viewer))).status).toBe("ACTIVE");
    expect(JSON.parse(String(recordBytes(found.flag, { ...viewer, now: MUCH_LATER }))).status).toBe("STALE");
    expect(found.writings).toBe(2);
    recordBytes(found.flag, { ...viewer, now: MUCH_LATER, accounts: accounts() });
    expect(found.writings).toBe(3);
  });
});
