import { describe, expect, it } from "vitest";
import { computeNamesETag } from "./etag.ts";

describe("If-None-Match", () => {
  it.each([
    [null, '"a"', false],
    ['"a"', '"a"', true],
    ['"b"', '"a"', false],
    ["a", '"a"', true],
    ['"a"', "a", true],
    ['W/"a"', '"a"', true],
    ['"a"', 'W/"a"', true],
    [' W/"a" ', '"a"', true],
    ['"b", W/"a" , "c"', '"a"', true],
    ['"b", "c"', '"a"', false],
    ["*", '"a"', true],
    ['"b", *', '"a"', true],
    ['"a', '"a"', false],
    ['a"', '"a"', false],
    ['"', '""', false],
    ['"ab', '"a"', false],
    ['ba"', '"a"', false],
    ["xax", '"a"', false],
    ['"a,b"', '"a,b"', true],
    ["", '"a"', false],
  ])("%s names %s: %s", (header, etag, expected) => {
    expect(computeNamesETag(header, etag)).toBe(expected);
  });
});
