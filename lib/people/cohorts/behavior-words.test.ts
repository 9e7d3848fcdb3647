import { describe, expect, it } from "vitest";
import { plain } from "#lib/people/conditions/words.ts";
import { cohortTokens, setsOf } from "./words.ts";

const performed = (given: object = {}) => ({ type: "behavioral", key: "signed up", ...given });
const row = (key: string, value: unknown, given: object = {}) => ({
  key,
  type: "event",
  operator: "exact",
  value,
  ...given,
});
const and = (...values: unknown[]) => ({ type: "AND", values });
const or = (...values: unknown[]) => ({ type: "OR", values });
const sentence = (properties: unknown) => plain(cohortTokens({ properties }));

describe("what people did, in words", () => {
  it.each<[object, string]>([
    [{}, "performed signed up"],
    [{ key: null }, "performed any event"],
    [{ event_filters: [] }, "performed signed up"],
    [{ event_filters: "plan" }, "performed signed up"],
    [{ event_filters: [row("plan", ["pro"])] }, "performed signed up where plan is pro"],
    [
      { event_filters: [row("plan", ["pro"]), null, row("age", 30, { operator: "gte" })] },
      "performed signed up where plan is pro and age is at least 30",
    ],
    [{ event_filters: [row("id", 7, { type: "cohort" })] }, "performed signed up where id is 7"],
    [{ explicit_datetime: "2026-03-02T10:00:00Z" }, "performed signed up since 2026-03-02"],
    [{ explicit_datetime: null }, "performed signed up"],
    [
      { explicit_datetime: "2026-03-02T10:00:00Z", event_filters: [row("plan", "pro")] },
      "performed signed up since 2026-03-02 where plan is pro",
    ],
  ])("of %j", (given, words) => {
    expect(sentence(or(performed(given)))).toBe(words);
  });

  it.each<[unknown, string]>([
    [and(performed(), performed({ key: "paid" })), "performed signed up and performed paid"],
    [
      or(and(performed(), row("plan", "pro", { type: "person" })), performed({ key: "paid" })),
      "( performed signed up and plan is pro ) or performed paid",
    ],
    [and(or(performed())), "performed signed up"],
    [and(), ""],
    [and("text", null), ""],
    ["text", ""],
    [null, ""],
  ])("within %j", (tree, words) => {
    expect(sentence(tree)).toBe(words);
  });
});

describe("filters that only their JSON shows in full", () => {
  it.each<[unknown]>([
    [and(performed())],
    [or(and(performed()))],
    [or(and(row("plan", "pro")))],
    [or(and(row("plan", "pro", { type: "person", negation: true })))],
    [{ type: "XOR", values: [] }],
    [[]],
  ])("are %j", (properties) => {
    expect(setsOf({ properties })).toBeNull();
  });
});
