import { describe, expect, it } from "vitest";
import { storedAppearance, storedQuestions } from "./clean.ts";
import { cleanHtml } from "./clean-html.ts";
import { linkProblem } from "./question_kinds/link.ts";
import { questionProblem } from "./questions-schema.ts";

describe("a link", () => {
  it.each([
    ["https://example.com/x?y=1", null],
    ["HTTPS://example.com", null],
    ["mailto:a@example.com", null],
    ["MAILTO:a.b+c@mail.example.com", null],
    ["mailto:a@example.com?subject=x", "Link is not a valid mailto address."],
    ["mailto:example.com", "Link is not a valid mailto address."],
    ["mailto:a@example", "Link is not a valid mailto address."],
    ["mailto:a b@example.com", "Link is not a valid mailto address."],
    ["http://example.com", "Link must be a URL with the scheme https or mailto."],
    ["javascript:alert(1)", "Link must be a URL with the scheme https or mailto."],
    ["example.com", "Link must be a URL with the scheme https or mailto."],
    [" https://example.com", "Link must be a URL with the scheme https or mailto."],
    ["https://", "Link must be a URL with a host."],
    ["https://exa mple.com", "Link must be a URL with a host."],
    [5, "Link must be a text."],
  ])("%j: %s", (link, problem) => {
    expect(linkProblem(link)).toBe(problem);
  });
});

describe("a question", () => {
  const asked = (fields: object) => questionProblem({ question: "How?", ...fields });
  const choices = ["A", "B"];

  it.each<[object, string | null]>([
    [{}, null],
    [{ question: "" }, "Question text cannot be empty."],
    [{ question: " " }, "Question text cannot be empty."],
    [{ question: 5 }, "Question text cannot be empty."],
    [{ id: 5 }, "Question id must be a text."],
    [{ id: "" }, null],
    [{ id: null }, null],
    [{ descriptionContentType: "text" }, null],
    [{ descriptionContentType: "html" }, null],
    [{ descriptionContentType: null }, null],
    [{ descriptionContentType: "markdown" }, "Question descriptionContentType must be one of text, html."],
    [{ choices }, null],
    [{ choices: null }, null],
    [{ choices: "A" }, "Question choices must be a list."],
    [{ choices: ["A", 5] }, "Question choices must be texts."],
    [{ choices: ["A", " "] }, "Question choices cannot be empty."],
    [{ choices, choice_ids: ["x", null] }, null],
    [{ choices, choice_ids: [null, null] }, null],
    [{ choices, choice_ids: null }, null],
    [{ choice_ids: [] }, null],
    [{ choices, choice_ids: "x" }, "Question choice_ids must be a list."],
    [{ choices, choice_ids: ["x"] }, "Question choice_ids must be as long as choices."],
    [{ choice_ids: ["x"] }, "Question choice_ids must be as long as choices."],
    [
      { choices, choice_ids: ["x", ""] },
      "Question choice_ids must be texts of 1 to 100 characters, or null for a new choice.",
    ],
    [
      { choices, choice_ids: ["x", 5] },
      "Question choice_ids must be texts of 1 to 100 characters, or null for a new choice.",
    ],
    [
      { choices, choice_ids: ["x", "y".repeat(101)] },
      "Question choice_ids must be texts of 1 to 100 characters, or null for a new choice.",
    ],
    [{ choices, choice_ids: ["x", "y".repeat(100)] }, null],
    [{ choices, choice_ids: ["x", "x"] }, "Question choice_ids must differ from each other."],
    [{ link: "https://example.com" }, null],
    [{ link: "" }, null],
    [{ link: 5 }, "Link must be a text."],
    [
      { translations: { de: { link: "http://example.de" } } },
      "Link must be a URL with the scheme https or mailto.",
    ],
    [{ translations: { de: { link: "https://example.de" }, fr: { link: "" }, es: null } }, null],
    [{ translations: "de" }, null],
    [{ anything: { else: true } }, null],
  ])("with %j: %s", (fields, problem) => {
    expect(asked(fields)).toBe(problem);
  });

  it.each([["text"], [null], [[]], [undefined]])("is an object, not %j", (value) => {
    expect(questionProblem(value)).toBe("Questions must be a list of objects.");
  });
});

describe("texts that respondents read", () => {
  const BAD = '<b onclick="x()">Hi</b><script>x()</script>';
  const GOOD = "<b>Hi</b>";

  it.each([
    ["question"],
    ["description"],
    ["buttonText"],
    ["lowerBoundLabel"],
    ["upperBoundLabel"],
    ["choices"],
    ["placeholder"],
    ["translations"],
  ])("are cleaned in a question's %s, however deep", (name) => {
    const [stored] = storedQuestions([
      { question: "?", id: "q", [name]: [BAD, { de: BAD, n: 5, none: null }] } as never,
    ]);
    expect(stored).toEqual({ question: "?", id: "q", [name]: [GOOD, { de: GOOD, n: 5, none: null }] });
  });

  it.each([
    ["submitButtonText"],
    ["placeholder"],
    ["thankYouMessageHeader"],
    ["thankYouMessageDescription"],
    ["thankYouMessageCloseButtonText"],
    ["widgetLabel"],
    ["backButtonText"],
    ["introScreenHeader"],
    ["introScreenDescription"],
    ["introScreenButtonText"],
    ["translations"],
  ])("are cleaned in an appearance's %s", (name) => {
    expect(storedAppearance({ [name]: BAD })).toEqual({ [name]: GOOD });
    expect(storedAppearance({ [name]: { de: [BAD] } })).toEqual({ [name]: { de: [GOOD] } });
  });

  it("are stored beside all else as it was sent", () => {
    expect(storedAppearance({ color: BAD, shuffleQuestions: true })).toEqual({
      color: BAD,
      shuffleQuestions: true,
    });
    expect(storedQuestions([{ question: "?", id: "q", note: BAD }])).toEqual([
      { question: "?", id: "q", note: BAD },
    ]);
  });

  it.each([[undefined], [""], [null]])("get an id where a question has %j", (id) => {
    const [stored] = storedQuestions([{ question: "?", id }]);
    expect(stored?.id).toMatch(/^[\da-f-]{36}$/);
  });

  it.each([
    ["5 < 6 & 7 > 2", "5 < 6 & 7 > 2"],
    ["a <3 b", "a <3 b"],
    ["<b>a & b</b>", "<b>a &amp; b</b>"],
    ["<!-- x -->a", "a"],
    ["a<?php x ?>", "a"],
    ["a</b>", "a"],
    ['<a href="https://a.b" rel="opener">x</a>', '<a href="https://a.b" rel="noopener">x</a>'],
    ['<a href="javascript:x()">x</a>', '<a rel="noopener">x</a>'],
    [
      '<a href="mailto:a@b.c" target="_blank">x</a>',
      '<a href="mailto:a@b.c" target="_blank" rel="noopener">x</a>',
    ],
    ['<img src="https://a.b/c.png" alt="d" onerror="x()" />', '<img src="https://a.b/c.png" alt="d" />'],
    ['<img src="//a.b/c.png" />', "<img />"],
    ['<img src="data:image/png;base64,x" />', "<img />"],
    ['<p style="color:red">x</p>', '<p style="color:red">x</p>'],
    ['<p style="background:url(https://a.b)">x</p>', "<p>x</p>"],
    ['<p style="width:EXPRESSION (1)">x</p>', "<p>x</p>"],
    ['<p style="b:\\75rl(x)">x</p>', "<p>x</p>"],
    ['<p class="x" lang="de" title="t">x</p>', '<p lang="de" title="t">x</p>'],
    ['<td colspan="2" start="1">x</td>', '<td colspan="2">x</td>'],
    ["<iframe>x</iframe>y", "y"],
    ["<style>x</style><noscript>z</noscript>y", "y"],
    ["<form>x</form>", "x"],
    ["<h2>x</h2><ul><li>y</li></ul>", "<h2>x</h2><ul><li>y</li></ul>"],
  ])("keep what cannot run: %j", (text, cleaned) => {
    expect(cleanHtml(text)).toBe(cleaned);
  });
});
