import { describe, expect, it } from "vitest";
import { highlighted, matching } from "./option-list.tsx";

const options = [{ value: "plan" }, { value: "$geo", label: "Place on a map" }, { value: "airplane" }];

describe("matching", () => {
  it.each([
    ["", ["plan", "$geo", "airplane"]],
    ["pla", ["plan", "$geo", "airplane"]],
    ["PLAN", ["plan", "airplane"]],
    ["geo", ["$geo"]],
    [" map ", ["$geo"]],
    ["zzz", []],
  ])("%j finds %j, earliest place first", (query, values) => {
    expect(matching(options, query).map((option) => option.value)).toEqual(values);
  });
});

describe("highlighted", () => {
  it.each([
    { case: "nothing typed, free text", query: "", freeText: "Add", wanted: "", row: "" },
    { case: "nothing typed, a closed list", query: "", freeText: undefined, wanted: "", row: "plan" },
    { case: "typed text wins over suggestions", query: "pl", freeText: "Add", wanted: "", row: "typed:pl" },
    { case: "unless it is one of them", query: " plan ", freeText: "Add", wanted: "", row: "plan" },
    { case: "the first of a closed list", query: "pl", freeText: undefined, wanted: "", row: "plan" },
    { case: "the row moved to", query: "pl", freeText: "Add", wanted: "airplane", row: "airplane" },
    { case: "the row moved to has gone", query: "pl", freeText: "Add", wanted: "gone", row: "typed:pl" },
  ])("$case", ({ query, freeText, wanted, row }) => {
    expect(highlighted({ options, query, freeText }, wanted)).toBe(row);
  });
});
