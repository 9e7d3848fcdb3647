import { describe, expect, it } from "vitest";
import { flagWith } from "#testing/flags.ts";
import { filterFlags } from "./list.ts";
import type { FlagListQuery } from "./schema.ts";

const NOW = new Date("2026-03-01T00:00:00Z");
const day = (text: string) => new Date(`${text}T00:00:00Z`);
const split = {
  variants: [
    { key: "a", rollout_percentage: 50 },
    { key: "b", rollout_percentage: 50 },
  ],
};

/** Newest first, as the list is held. */
const LIVE = [
  flagWith({ id: 5, key: "survey-target", targets_survey: true, created_at: day("2026-02-25") }),
  flagWith({
    id: 4,
    key: "remote",
    name: "Banner text",
    is_remote_configuration: true,
    created_by_id: 2,
    version: 2,
    tags: ["ui", "beta"],
    created_at: day("2026-02-20"),
    updated_at: day("2026-02-21"),
    last_called_at: day("2026-02-28"),
  }),
  flagWith({
    id: 3,
    key: "Many",
    name: "Zoom",
    filters: { groups: [{}], multivariate: split },
    experiment_set: [9],
    created_by_id: null,
    version: 7,
    tags: ["beta"],
    evaluation_runtime: "server",
    created_at: day("2026-02-10"),
    updated_at: day("2026-02-12"),
    last_called_at: day("2026-02-27"),
  }),
  flagWith({
    id: 2,
    key: "off",
    active: false,
    created_by_id: 12,
    version: 5,
    evaluation_runtime: "client",
    filters: { groups: [{}], multivariate: { variants: [] } },
    updated_at: day("2026-02-27"),
  }),
  flagWith({
    id: 1,
    key: "plain",
    name: "Checkout PILOT",
    filters: { groups: [{}], multivariate: null },
    updated_at: day("2026-01-02"),
    version: 4,
  }),
];
const ALL = ["remote", "Many", "off", "plain"];

const found = (query: Partial<FlagListQuery>) =>
  filterFlags(LIVE, { limit: 100, offset: 0, ...query }, NOW).map((flag) => flag.key);

describe("the flags of a list", () => {
  it("are all but those that surveys made, newest first", () => {
    expect(found({})).toEqual(ALL);
  });

  it.each<[string, string[]]>([
    ["true", ["remote", "Many", "plain"]],
    ["TRUE", ["remote", "Many", "plain"]],
    ["false", ["off"]],
    ["whatever", ["off"]],
    ["STALE", ["plain"]],
    ["", ALL],
  ])("of the state %j", (active, keys) => {
    expect(found({ active })).toEqual(keys);
  });

  it.each<[string, string[]]>([
    ["1", ["plain"]],
    ["12", ["off"]],
    ["1,2", ["remote", "plain"]],
    ["[1, 12]", ["off", "plain"]],
    ["99", []],
    ["nobody", []],
    ["", ALL],
  ])("made by %j", (created_by_id, keys) => {
    expect(found({ created_by_id })).toEqual(keys);
  });

  it("with a condition on a cohort", () => {
    const row = (type: string, value: unknown) => ({ groups: [{}, { properties: [{ type, value }] }] });
    const flags = [
      flagWith({ id: 3, key: "for-cohort", filters: row("cohort", 7) }),
      flagWith({ id: 2, key: "for-another", filters: row("cohort", "71") }),
      flagWith({ id: 1, key: "for-a-property", filters: row("person", 7) }),
    ];
    const keys = (cohort_id: string) =>
      filterFlags(flags, { limit: 100, offset: 0, cohort_id }, NOW).map((flag) => flag.key);
    expect([keys("7"), keys("71"), keys("1")]).toEqual([["for-cohort"], ["for-another"], []]);
  });

  it.each<[string, string[]]>([
    ["both", ["remote", "plain"]],
    ["all", ["remote", "plain"]],
    ["client", ["off"]],
    ["server", ["Many"]],
    ["edge", []],
    ["", ALL],
  ])("evaluated on %j", (evaluation_runtime, keys) => {
    expect(found({ evaluation_runtime })).toEqual(keys);
  });

  it.each<[string, string[]]>([
    ['["off","plain"]', ["remote", "Many"]],
    ['["pl"]', ALL],
    ["[]", ALL],
    ['"off"', ALL],
    ['{"off":1}', ALL],
    ["off", ALL],
    ["", ALL],
  ])("without the keys %j", (excluded_properties, keys) => {
    expect(found({ excluded_properties })).toEqual(keys);
  });

  it.each<[string, string[]]>([
    ["CHECK", ["plain"]],
    [" pilot ", ["plain"]],
    ["many", ["Many"]],
    ["MANY", ["Many"]],
    ["o", ["remote", "Many", "off", "plain"]],
    ["plaincheckout", []],
    ["   ", ALL],
    ["", ALL],
  ])("with %j in the key or the description", (search, keys) => {
    expect(found({ search })).toEqual(keys);
    expect(found({ search })).toEqual(keys);
  });

  it.each<[string, string[]]>([
    ["boolean", ["remote", "off", "plain"]],
    ["multivariant", ["Many"]],
    ["experiment", ["Many"]],
    ["remote_config", ["remote"]],
    ["unknown", ALL],
    ["", ALL],
  ])("of the type %j", (type, keys) => {
    expect(found({ type })).toEqual(keys);
  });

  it.each<[string, string[]]>([
    ['["ui"]', ["remote"]],
    ['["ui","beta"]', ["remote", "Many"]],
    ['["nothing"]', []],
    ["[]", ALL],
    ["ui", ALL],
    ["", ALL],
  ])("with any of the tags %j", (tags, keys) => {
    expect(found({ tags })).toEqual(keys);
  });

  it("have to pass every filter of a request", () => {
    expect(found({ active: "true", tags: '["beta"]', type: "boolean" })).toEqual(["remote"]);
    expect(found({ active: "false", tags: '["beta"]' })).toEqual([]);
  });
});

describe("the order of a list", () => {
  // Equal values: the newer id first, in both directions.
  it.each<[string, string[]]>([
    ["id", ["plain", "off", "Many", "remote"]],
    ["-id", ["remote", "Many", "off", "plain"]],
    ["key", ["Many", "off", "plain", "remote"]],
    ["-key", ["remote", "plain", "off", "Many"]],
    ["name", ["off", "remote", "plain", "Many"]],
    ["-name", ["Many", "plain", "remote", "off"]],
    ["active", ["off", "remote", "Many", "plain"]],
    ["-active", ["remote", "Many", "plain", "off"]],
    ["created_at", ["off", "plain", "Many", "remote"]],
    ["updated_at", ["plain", "Many", "remote", "off"]],
    ["-updated_at", ["off", "remote", "Many", "plain"]],
    ["version", ["remote", "plain", "off", "Many"]],
    ["-version", ["Many", "off", "plain", "remote"]],
    ["last_called_at", ["off", "plain", "Many", "remote"]],
    ["-last_called_at", ["remote", "Many", "off", "plain"]],
    ["-created_at", ALL],
    ["", ALL],
    ["tags", ALL],
    ["-nonsense", ALL],
  ])("by %j", (order, keys) => {
    expect(found({ order })).toEqual(keys);
  });

  it("leaves the flags that it is given in their order", () => {
    found({ order: "key" });
    expect(LIVE.map((flag) => flag.id)).toEqual([5, 4, 3, 2, 1]);
  });
});
