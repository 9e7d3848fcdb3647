import { json } from "@codemirror/lang-json";
import { EditorState } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import { pathAt, rangeOfPath } from "./json-positions.ts";

const text = `{
  "groups": [
    { "properties": [{ "key": "plan", "value": ["pro"] }], "rollout_percentage": 140 },
    { "variant": "test" }
  ],
  "payloads": { "true": null }
}`;
const stateOf = (doc: string) => EditorState.create({ doc, extensions: [json()] });

describe("rangeOfPath", () => {
  it.each([
    [["groups", 0, "rollout_percentage"], "140"],
    [["groups", 0, "properties", 0, "value", 0], '"pro"'],
    [["groups", 1, "variant"], '"test"'],
    [["payloads", "true"], "null"],
    [["groups", 1, "missing", "deeper"], '{ "variant": "test" }'],
    [["groups", 9], "["],
    [[], "{"],
  ])("%j is marked at %s", (path, marked) => {
    const state = stateOf(text);
    const { from, to } = rangeOfPath(state, path);
    expect(state.sliceDoc(from, to)).toBe(marked);
  });

  it("marks something in a text that is no JSON", () => {
    expect(rangeOfPath(stateOf(""), ["groups"])).toEqual({ from: 0, to: 0 });
    expect(rangeOfPath(stateOf('{ "groups": [ {'), ["groups", 0, "x"]).from).toBe(14);
  });
});

describe("pathAt", () => {
  it.each([
    ['{ "|" }', [], "key"],
    ['{ "groups": [{ "ro|" }] }', ["groups", 0], "key"],
    ['{ "groups": [{}, { "ro|": 1 }] }', ["groups", 1], "key"],
    ['{ "groups": [{ "variant": "te|st" }] }', ["groups", 0, "variant"], "value"],
    ['{ "groups": [{ "variant": tr|ue }] }', ["groups", 0, "variant"], "value"],
    ['{ "values": ["a", "b|"] }', ["values", 1], "value"],
  ])("the cursor in %s", (marked, path, kind) => {
    const offset = marked.indexOf("|");
    const state = stateOf(marked.replace("|", ""));
    expect(pathAt(state, offset)).toEqual({ path, kind });
  });
});
