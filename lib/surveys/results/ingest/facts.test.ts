import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type ArrivingEvent, parseFact } from "./facts.ts";

const UUID = "00000000-0000-4000-8000-000000000001";
const factWith = (event: string, properties: Record<string, unknown> = {}) => {
  const arriving: ArrivingEvent = {
    uuid: UUID,
    event,
    distinct_id: "d",
    at: 5,
    properties: { $survey_id: "s", ...properties },
  };
  return parseFact(7, arriving);
};
const sent = (properties: Record<string, unknown> = {}) => {
  const fact = factWith("survey sent", properties);
  if (fact?.kind !== null) throw new Error("This is no response.");
  return fact;
};

describe("what an event says of a survey", () => {
  it.each([
    ["survey shown", {}, "shown"],
    ["survey abandoned", {}, "abandoned"],
    ["survey dismissed", {}, "dismissed"],
    ["survey dismissed", { $survey_partially_completed: false }, "dismissed"],
    ["survey dismissed", { $survey_partially_completed: true }, "quit"],
    ["survey dismissed", { $survey_partially_completed: "true" }, "quit"],
    ["survey dismissed", { $survey_partially_completed: 1 }, "dismissed"],
    ["survey shown", { $survey_partially_completed: true }, "shown"],
  ])("%s with %j: %s", (event, properties, kind) => {
    expect(factWith(event, properties)).toEqual({
      project_id: 7,
      survey_id: "s",
      uuid: UUID,
      at: 5,
      distinct_id: "d",
      iteration: 0,
      kind,
    });
  });

  it("is a response of its own where it has no submission", () => {
    expect(sent({ $survey_response: "x" })).toEqual({
      project_id: 7,
      survey_id: "s",
      uuid: UUID,
      at: 5,
      distinct_id: "d",
      iteration: 0,
      kind: null,
      key: UUID,
      completed: true,
      answers: { "": "x" },
    });
  });

  it.each([
    ["another event", "$pageview", {}],
    ["no survey", "survey sent", { $survey_id: undefined }],
    ["a survey without a name", "survey sent", { $survey_id: "" }],
    ["a survey that is no text", "survey shown", { $survey_id: 5 }],
    ["a name that no survey has", "survey shown", { $survey_id: "x".repeat(401) }],
  ])("is nothing of %s", (_, event, properties) => {
    expect(factWith(event, properties)).toBeNull();
  });

  it("is kept of a name as long as names may be", () => {
    expect(factWith("survey shown", { $survey_id: "x".repeat(400) })?.survey_id).toHaveLength(400);
  });

  it.each([
    [undefined, 0],
    [3, 3],
    ["3", 3],
    ["007", 7],
    [1_000_000, 1_000_000],
    [1_000_001, 0],
    ["12345678", 0],
    [-1, 0],
    [1.5, 0],
    ["3rd", 0],
    ["x3", 0],
    ["", 0],
    [null, 0],
    [[3], 0],
  ])("has of the iteration %j the number %d", (value, iteration) => {
    expect(factWith("survey shown", { $survey_iteration: value })?.iteration).toBe(iteration);
  });
});

describe("a response", () => {
  it.each([
    [undefined, true],
    [true, true],
    ["true", true],
    [null, true],
    [0, true],
    [false, false],
    ["false", false],
  ])("with $survey_completed %j is finished: %j", (value, completed) => {
    expect(sent({ $survey_completed: value }).completed).toBe(completed);
  });

  it("is known by its submission, a uuid made of its MD5", () => {
    const hex = createHash("md5").update("submission abc").digest("hex");
    const { key } = sent({ $survey_submission_id: "abc" });
    expect(key.replaceAll("-", "")).toBe(hex);
    expect(key).toMatch(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/);
    expect(sent({ $survey_submission_id: 12 }).key).toBe(sent({ $survey_submission_id: "12" }).key);
    for (const none of ["", null, {}, true]) expect(sent({ $survey_submission_id: none }).key).toBe(UUID);
  });

  it("has the answers that are not blank, by id or by place", () => {
    const answers = {
      $survey_response: "first",
      $survey_response_1: 0,
      $survey_response_why: " text ",
      $survey_response_no: false,
      $survey_response_list: ["", "a"],
      $survey_response_blank: " ",
      $survey_response_null: null,
      $survey_response_undefined: undefined,
      $survey_response_empty: [],
      $survey_response_blanks: ["", null, [" "]],
      $survey_responses: "another property",
      $survey_id: "s",
      name: "x",
    };
    expect(sent(answers).answers).toEqual({
      "": "first",
      1: 0,
      why: " text ",
      no: false,
      list: ["", "a"],
    });
  });
});
