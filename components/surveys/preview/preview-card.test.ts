import { describe, expect, it } from "vitest";
import { newDraft, type SurveyDraft } from "#components/surveys/draft/survey-draft.ts";
import { asQuestion, type SentQuestion } from "#lib/engines/branching/question.ts";
import { cardIn, lookOf, type Place, progressIn, readForm } from "./preview-card.ts";

const draftOf = (
  questions: SentQuestion[],
  appearance: Record<string, unknown> | null = null,
  fields: Partial<SurveyDraft> = {},
) => newDraft({ name: "Pulse", ...fields }, questions, appearance);

const first: Place = { uid: "at0" };
const cardOf = (draft: SurveyDraft, place: Place = first, behind = 0) =>
  String(cardIn(draft, place, behind, null, null));
const read = (draft: SurveyDraft, fields: Record<string, string>, place: Place = first) =>
  readForm(draft, place, new URLSearchParams(fields));

const rating: SentQuestion = { type: "rating", question: "How likely?", display: "number", scale: 5 };
const single: SentQuestion = {
  type: "single_choice",
  question: "Why?",
  choices: ["Price", "Other"],
  hasOpenChoice: true,
};
const multiple: SentQuestion = { type: "multiple_choice", question: "Which?", choices: ["A", "B"] };
const link: SentQuestion = { type: "link", question: "Read on", link: "https://example.com/more" };
const open: SentQuestion = { type: "open", question: "What else?" };
const odd: SentQuestion = { ...asQuestion({ type: "matrix" }), question: "Grid?" };

describe("a card of the preview", () => {
  it.each([
    ["a rating", rating, /type="radio" name="answer" id="answer" value="1"/],
    ["a choice", single, /<label for="answer" dir="auto">Price<\/label>/],
    ["several choices", multiple, /type="checkbox"/],
    ["a link", link, /href="https:\/\/example\.com\/more" target="_blank"/],
    ["a text", open, /<textarea id="answer"/],
    ["a text for a kind that is unknown", odd, /<textarea id="answer"/],
  ])("asks for %s", (_, question, control) => {
    expect(cardOf(draftOf([question]))).toMatch(control);
  });

  it("fills in texts that are still missing", () => {
    const html = cardOf(draftOf([{ ...single, question: " ", choices: ["", "B"], hasOpenChoice: false }]));
    expect(html).toContain("What do you ask?");
    expect(html).toContain("(no text yet)");
  });

  it("is null where its question is gone", () => {
    expect(cardIn(draftOf([open]), { uid: "gone" }, 0, null, null)).toBeNull();
  });

  it("offers to go back where the survey allows it, and there is something to go back to", () => {
    const draft = draftOf([open], { allowGoBack: true });
    expect(cardOf(draft, first, 0)).not.toContain('value="back"');
    expect(cardOf(draft, first, 1)).toContain('value="back"');
    expect(cardOf(draftOf([open]), first, 1)).not.toContain('value="back"');
  });

  it("keeps what is in its form, and says what is wrong with it", () => {
    const draft = draftOf([{ ...open, validation: [{ type: "min_length", value: 5 }] }]);
    const found = read(draft, { action: "answer", answer: "no" });
    if (!("problem" in found)) throw new Error("no problem");
    const html = String(cardIn(draft, first, 0, { answers: ["no"], other: "" }, found.problem));
    expect(html).toContain('role="alert"');
    expect(html).toContain("no</textarea>");
  });

  it("sends with “Submit” in a box, and leads on with “Next” on a page", () => {
    const questions = [open, rating];
    expect(cardOf(draftOf(questions))).toContain(">Submit</button>");
    expect(cardOf(draftOf(questions, null, { type: "external_survey" }))).toContain(">Next</button>");
  });

  it("can be closed at the end of a box only", () => {
    expect(cardOf(draftOf([open]), "end")).toContain(">Close</button>");
    expect(cardOf(draftOf([open], null, { type: "external_survey" }), "end")).not.toContain("<button");
  });

  it.each(["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "<svg onload=alert(1)>"])(
    "never contains what a text would run: %s",
    (text) => {
      const draft = draftOf(
        [
          {
            ...single,
            question: text,
            description: text,
            descriptionContentType: "html",
            choices: [text, `B ${text}`],
            buttonText: text,
          },
          { ...rating, lowerBoundLabel: text, upperBoundLabel: text },
          { ...open, placeholder: text },
        ],
        {
          allowGoBack: true,
          backButtonText: text,
          introScreenHeader: text,
          introScreenDescription: text,
          introScreenButtonText: text,
          thankYouMessageHeader: text,
          thankYouMessageDescription: text,
          thankYouMessageCloseButtonText: text,
          backgroundColor: text,
          fontFamily: text,
        },
      );
      const places: Place[] = ["intro", "end", ...draft.questions.map(({ uid }) => ({ uid }))];
      const { css, classes } = lookOf(draft);
      for (const html of [...places.map((place) => cardOf(draft, place, 1)), css, classes])
        expect(html).not.toMatch(/<script|<svg onload|<img[^<>]*onerror/i);
    },
  );
});

describe("a form of the preview", () => {
  it.each([
    ["a rating", rating, { answer: "3" }, 3],
    ["a choice", single, { answer: "0" }, "Price"],
    ["an own answer", single, { answer: "1", other: "Mine" }, "Mine"],
    ["several choices", multiple, { answer: "1" }, ["B"]],
    ["a link", link, {}, "link clicked"],
    ["a text", open, { answer: " Yes " }, "Yes"],
    ["nothing", { ...open, optional: true }, { answer: "" }, null],
    ["no choice", { ...multiple, optional: true }, {}, null],
    ["a skipped rating", { ...rating, optional: true }, { action: "skip", answer: "3" }, null],
  ] as [string, SentQuestion, Record<string, string>, unknown][])(
    "answers with %s",
    (_, question, fields, response) => {
      expect(read(draftOf([question]), { action: "answer", ...fields })).toEqual({
        step: { uid: "at0", response },
      });
    },
  );

  it("begins, goes back, and begins again", () => {
    const draft = draftOf([open]);
    expect(read(draft, { action: "start" }, "intro")).toEqual({ to: "begin" });
    expect(read(draft, { action: "back" })).toEqual({ to: "back" });
    expect(read(draft, { action: "close" }, "end")).toEqual({ to: "restart" });
    expect(read(draft, { action: "answer", answer: "x" }, { uid: "gone" })).toEqual({ to: "restart" });
  });
});

describe("the look of the preview", () => {
  it("is a box that can be closed, or a page", () => {
    expect(lookOf(draftOf([open])).classes).toBe("survey light box closable");
    expect(lookOf(draftOf([open], { hideCancelButton: true })).classes).toBe("survey light box");
    expect(lookOf(draftOf([open], null, { type: "api" })).classes).toBe("survey light box");
    expect(lookOf(draftOf([open], null, { type: "external_survey" })).classes).toBe("survey embed");
  });

  it("runs from right to left where its first question does", () => {
    expect(lookOf(draftOf([{ ...open, question: "מה דעתך?" }])).dir).toBe("rtl");
  });
});

it("the bar of a hosted page is shown as respondents see it, and a popover has none", () => {
  const questions: SentQuestion[] = [
    { type: "open", question: "A", branching: { type: "response_based", responseValues: {} } },
    { type: "open", question: "B" },
  ];
  const page = newDraft({ type: "external_survey" }, questions);
  const at = (place: number) => ({ uid: page.questions[place]?.uid ?? "" });
  expect([progressIn(page, "intro", 0), progressIn(page, at(0), 0), progressIn(page, at(1), 1)]).toEqual([
    0, 0, 0.5,
  ]);
  expect(progressIn(page, "end", 2)).toBe(1);
  expect(progressIn(newDraft({}, questions), at(0), 0)).toBeNull();
});
