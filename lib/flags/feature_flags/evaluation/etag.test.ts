import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { computeNamesETag, readHeldTag, tagFor } from "./etag.ts";

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

describe("the tag of an instance", () => {
  const word = (length: number) => fc.stringMatching(new RegExp(`^[\\w-]{${length}}$`));
  const parts = fc.record({ content: word(22), view: fc.nat(7).map(String), instance: word(12) });

  it("is read as it was sent, and as proxies and clients leave it", () => {
    const forms: ((tag: string) => string)[] = [
      (tag) => tag,
      (tag) => tag.slice(2),
      (tag) => tag.slice(3, -1),
      (tag) => ` ${tag} `,
      (tag) => `"other", ${tag}`,
      (tag) => `${tag}, "other"`,
      (tag) => tag.replace(/"$/, '-gzip"'),
      (tag) => tag.replace(/"$/, ';br"'),
    ];
    fc.assert(
      fc.property(parts, fc.constantFrom(...forms), (held, form) => {
        expect(readHeldTag(form(tagFor(held.content + held.view, held.instance)))).toEqual(held);
      }),
    );
  });

  it("has an id of the right form, whatever is sent", () => {
    const hostile = fc.oneof(
      fc.string({ maxLength: 500 }),
      fc.string({ minLength: 40, maxLength: 40 }),
      fc
        .tuple(fc.string({ maxLength: 5 }), parts, fc.string({ maxLength: 5 }))
        .map(
          ([before, { content, view, instance }, after]) => before + tagFor(content + view, instance) + after,
        ),
    );
    fc.assert(
      fc.property(hostile, (header) => {
        const held = readHeldTag(header);
        if (held) expect(held.instance).toMatch(/^[\w-]{12}$/);
        if (held) expect(held.content).toHaveLength(22);
      }),
    );
    expect(readHeldTag(null)).toBeNull();
    expect(readHeldTag("x".repeat(100_000))).toBeNull();
  });
});
