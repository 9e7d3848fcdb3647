import fc from "fast-check";
import sanitizeHtml from "sanitize-html";
import { describe, expect, it } from "vitest";
import { storedAppearance, storedQuestions } from "./clean.ts";
import { cleanHtml, cleanText } from "./clean-html.ts";

/** What a parser finds in a page that puts markup around a text: elements, and attributes with a value. */
function parsed(text: string) {
  const elements: string[] = [];
  const values: string[] = [];
  sanitizeHtml(`<h3 class="own">${text}</h3><p title="own">after</p>`, {
    allowedTags: false,
    allowVulnerableTags: true,
    allowedAttributes: false,
    transformTags: {
      "*": (tagName, attribs) => {
        elements.push(tagName);
        values.push(...Object.values(attribs).filter((value) => value !== "" && value !== "own"));
        return { tagName, attribs };
      },
    },
  });
  return { elements, values };
}

describe("a text that is shown as plain text", () => {
  it.each(["5 <6 & x<y?", "Is 3 < 5?", "if a<b then", "a<b", "fewer than <ten", "x<y & y<z", "x<y? Or <z!"])(
    "keeps %s",
    (text) => {
      expect(cleanText(text)).toBe(text);
      const [question] = storedQuestions([
        { question: text, choices: [text], translations: { de: { question: text } } },
      ]);
      expect(question).toMatchObject({
        question: text,
        choices: [text],
        translations: { de: { question: text } },
      });
      expect(storedAppearance({ thankYouMessageHeader: text })).toEqual({ thankYouMessageHeader: text });
    },
  );

  it.each([
    "<img src=x onerror=alert(1)",
    "<img src=x onerror=alert(1)>",
    "<svg onload",
    "<script",
    "<SCRIPT x",
    "<style",
    "<textarea",
    "a<b onclick=x",
    "a<b/onclick",
    "a<!--",
    "a<?php",
    "a</b",
    "a<b `",
  ])("is sanitized where it may be markup: %s", (text) => {
    expect(cleanText(text)).toBe(cleanHtml(text));
    expect(cleanText(text)).not.toBe(text);
  });

  it("that is kept gives no page an element that captures, or an attribute with a value", () => {
    const piece = fc.constantFrom(
      ..."< > = / \" ' ` ! ? a b script style svg img textarea template onerror onload x & 1".split(" "),
      " ",
      "<b",
      "<script",
      "<img src",
      "=alert(1)",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join("");
        const kept = cleanText(text);
        if (kept !== text) return;
        const { elements, values } = parsed(text);
        expect(values).toEqual([]);
        for (const element of elements)
          expect(element).not.toMatch(/^(script|style|svg|textarea|template|iframe)/);
      }),
      { numRuns: 3_000 },
    );
  });
});

it("a description is sanitized as the HTML that it may be shown as", () => {
  const [question] = storedQuestions([
    { question: "?", description: "a<b then", translations: { de: { description: "a<b then" } } },
  ]);
  expect(question).toMatchObject({
    description: cleanHtml("a<b then"),
    translations: { de: { description: cleanHtml("a<b then") } },
  });
  expect(storedAppearance({ thankYouMessageDescription: "a<b then" })).toEqual({
    thankYouMessageDescription: cleanHtml("a<b then"),
  });
});
