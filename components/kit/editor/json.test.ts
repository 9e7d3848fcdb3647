import { describe, expect, it } from "vitest";
import { z } from "zod";
import { parseJson, patternOf, placedIssue, problemText, suggestKeys } from "./json.ts";

describe("what is edited as JSON", () => {
  it("is read, or says why it cannot be", () => {
    expect(parseJson('{"a": [1]}')).toEqual({ json: { a: [1] }, problem: null });
    expect(parseJson("null")).toEqual({ json: null, problem: null });
    const { problem } = parseJson('{"a": }');
    expect(problem?.path).toEqual([]);
    expect(problem?.message).toMatch(/^Not valid JSON: /);
  });

  it("has its problems at their places", () => {
    const schema = z.object({ groups: z.array(z.object({ share: z.number() })) });
    const issue = schema.safeParse({ groups: [{ share: 1 }, { share: "x" }] }).error?.issues[0];
    const problem = placedIssue(issue ?? { path: [], message: "none" });
    expect(problem.path).toEqual(["groups", 1, "share"]);
    expect(problemText(problem)).toBe(`groups › 1 › share: ${problem.message}`);
    expect(problemText({ path: [], message: "Empty." })).toBe("Empty.");
    expect(patternOf(problem.path)).toBe("groups/*/share");
  });

  it("offers the members of its schema, with what they are for", () => {
    const schema = z.object({ a: z.string().meta({ description: "First." }), b: z.number() });
    expect(suggestKeys(schema.shape)).toEqual([
      { label: "a", info: "First." },
      { label: "b", info: "" },
    ]);
  });
});
