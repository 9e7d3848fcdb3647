import { describe, expect, it } from "vitest";
import { versionsOf } from "./versions.ts";

const CURRENT = {
  id: 5,
  version: 3,
  key: "b",
  name: "Now",
  filters: { groups: [] },
  active: true,
  tags: ["x"],
  evaluation_tags: ["x"],
  ensure_experience_continuity: true,
  has_enriched_analytics: true,
  is_remote_configuration: true,
  has_encrypted_payloads: true,
  evaluation_runtime: "server",
};
const { id: _, version: __, ...FLAG } = CURRENT;

const save = (...changes: [string, unknown][]) => ({
  activity: "updated",
  detail: {
    changes: changes.map(([field, before]) => ({
      type: "FeatureFlag",
      action: "changed" as const,
      field,
      before,
      after: "whatever",
    })),
  },
});

describe("the states of a flag", () => {
  it("are found by taking back one save after another", () => {
    const saves = [save(["name", "Second"], ["version", 2]), save(["key", "a"], ["version", 1]), save()];
    expect(versionsOf(CURRENT, saves)).toEqual([
      { entry: saves[0], version: 3, flag: FLAG },
      { entry: saves[1], version: 2, flag: { ...FLAG, name: "Second" } },
      { entry: saves[2], version: 1, flag: { ...FLAG, name: "Second", key: "a" } },
    ]);
    expect(versionsOf(CURRENT, [])).toEqual([]);
  });

  it.each<[string, unknown]>([
    ["name", ""],
    ["tags", []],
    ["evaluation_tags", []],
    ["active", false],
    ["ensure_experience_continuity", false],
    ["has_enriched_analytics", false],
    ["is_remote_configuration", false],
    ["has_encrypted_payloads", false],
    ["evaluation_runtime", "all"],
    ["filters", null],
    ["key", null],
  ])("have %s as it is stored where the log holds nothing", (field, empty) => {
    const [, before] = versionsOf(CURRENT, [save([field, null]), save()]);
    expect(before?.flag).toEqual({ ...FLAG, [field]: empty });
  });

  it("list their fields in the order of the log", () => {
    const [state] = versionsOf({ ...CURRENT, name: "Now" }, [save()]);
    expect(Object.keys(state?.flag ?? {}).slice(0, 4)).toEqual(["key", "name", "filters", "active"]);
  });

  it("hold what can be restored, and nothing else", () => {
    const [, before] = versionsOf(CURRENT, [save(["deleted", true], ["test_cases", "One"]), save()]);
    expect(before).toEqual({ entry: save(), version: 3, flag: FLAG });
  });

  it("have no version where none is known", () => {
    const states = versionsOf({ ...CURRENT, version: null }, [
      save(["version", 2]),
      save(["version", null]),
      save(),
    ]);
    expect(states.map(({ version }) => version)).toEqual([null, 2, null]);
  });

  it("have what is stored for what the flag has nothing of", () => {
    const [state] = versionsOf({ key: "b", tags: null }, [save()]);
    expect(state?.flag).toMatchObject({
      key: "b",
      name: "",
      tags: [],
      active: false,
      evaluation_runtime: "all",
    });
  });
});
