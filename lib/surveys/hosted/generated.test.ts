import { randomBytes, randomUUID } from "node:crypto";
import fc from "fast-check";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, it } from "vitest";
import { asQuestion } from "#lib/engines/branching/question.ts";
import { inTransaction } from "#lib/platform/db/connect.ts";
import { insertSurvey } from "#lib/surveys/surveys/store.ts";
import { visit } from "#testing/hosted-surveys.ts";
import { type Service, startService } from "#testing/service.ts";
import { remaining } from "./card/progress.ts";
import { themeOf } from "./card/theme.ts";
import { type FormState, formKey, open, seal } from "./form-state.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** Whatever a field may hold that nobody checks: right, wrong, and of another kind. */
const odd = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom<unknown>(null, true, false, 0, 1, 2, 3, 5, 7, 10, -1, 1e9, "", "x", "end"),
  },
  fc.string({ unit: "binary", maxLength: 12 }).map((text) => text.replaceAll("\0", "").toWellFormed()),
  fc.array(fc.constantFrom<unknown>("a", "b", "", 1, null), { maxLength: 4 }),
);

const branching = fc.option(
  fc.record({
    type: fc.constantFrom<unknown>(
      "response_based",
      "specific_question",
      "next_question",
      "end",
      "odd",
      null,
    ),
    index: odd,
    responseValues: fc.oneof(
      odd,
      fc.dictionary(fc.constantFrom("0", "1", "negative", "promoters", "x"), odd),
    ),
  }),
);

const question = fc.record(
  {
    question: fc.constantFrom("Why?", "لماذا؟", "<b>Why?</b>", "?".repeat(500)),
    id: fc.constantFrom("a", "b", "c", "", "__proto__", "constructor"),
    type: fc.constantFrom<unknown>("open", "link", "rating", "single_choice", "multiple_choice", "odd", null),
    description: odd,
    descriptionContentType: fc.constantFrom("text", "html"),
    optional: odd,
    buttonText: odd,
    link: odd,
    display: fc.constantFrom("number", "emoji", "odd"),
    scale: odd,
    lowerBoundLabel: odd,
    choices: odd,
    shuffleOptions: fc.boolean(),
    hasOpenChoice: fc.boolean(),
    skipSubmitButton: fc.boolean(),
    validation: odd,
    translations: fc.oneof(
      odd,
      fc.dictionary(
        fc.constantFrom("de", "ar"),
        fc.dictionary(fc.constantFrom("question", "choices", "link"), odd),
      ),
    ),
    branching,
  },
  { requiredKeys: ["question", "id", "type"] },
);

const appearance = fc.dictionary(
  fc.constantFrom(
    "backgroundColor",
    "textColor",
    "submitButtonColor",
    "fontFamily",
    "borderRadius",
    "allowGoBack",
    "placeholder",
    "displayIntroScreen",
    "introScreenHeader",
    "thankYouMessageHeader",
    "displayThankYouMessage",
    "shuffleQuestions",
    "enableIframeEmbedding",
    "translations",
  ),
  odd,
);

const form = fc.record(
  {
    answer: fc.oneof(
      fc.constantFrom("0", "1", "2", "5", "10", "x", ""),
      fc.array(fc.constantFrom("0", "1", "2")),
    ),
    other: fc.constantFrom("", "mine", "\u0000\ud800"),
    action: fc.constantFrom("answer", "back", "skip", "start", "odd"),
  },
  { requiredKeys: [] },
);

it("no stored survey and no request causes a server error", async () => {
  const walk = fc.record({
    questions: fc.array(question, { minLength: 1, maxLength: 4 }),
    appearance,
    partial: fc.boolean(),
    query: fc.constantFrom(
      "",
      "?q0=1&q1=0&q1=1",
      "?display_language=ar&embed=1",
      "?distinct_id=%00%F0&a=%ED%A0%80",
    ),
    forms: fc.array(form, { maxLength: 6 }),
  });
  await fc.assert(
    fc.asyncProperty(walk, async ({ questions, appearance, partial, query, forms }) => {
      const id = uuidv7();
      const stored = JSON.parse(JSON.stringify({ questions, appearance }));
      const fields = {
        id,
        project_id: 1,
        name: randomUUID(),
        type: "external_survey",
        ...stored,
      };
      const start_date = new Date("2026-01-01T00:00:00Z");
      await inTransaction(service.db, (tx) =>
        insertSurvey(tx, { ...fields, start_date, enable_partial_responses: partial }),
      );
      let page = await visit(service, id, query);
      expect(page.status).toBe(200);
      for (const fields of forms) {
        if (page.state === null) break;
        page = await page.send(fields);
        expect([200, 422]).toContain(page.status);
        expect(page.heading).not.toBe("");
        expect(page.html).not.toContain("undefined");
      }
    }),
    { numRuns: 60 },
  );
});

it("estimates the remaining questions: all that follow without rules, and never more than there are", () => {
  fc.assert(
    fc.property(fc.array(question.map(asQuestion), { minLength: 1, maxLength: 6 }), (questions) => {
      for (const index of questions.keys()) {
        const ahead = remaining(questions, index);
        expect(ahead).toBeGreaterThanOrEqual(1);
        expect(ahead).toBeLessThanOrEqual(questions.length);
        const plain = questions.map(({ branching: _, ...rest }) => asQuestion(rest));
        expect(remaining(plain, index)).toBe(questions.length - index);
      }
    }),
  );
});

it("a theme says nothing but properties, whatever the appearance", () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom("red", "#123456", "url(x)", "red;}", "rgb(1,2,3)", "</style>"),
  );
  const colours = [
    "backgroundColor",
    "textColor",
    "submitButtonColor",
    "borderColor",
    "fontFamily",
    "borderRadius",
  ];
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...colours), text), (fields) => {
      expect(themeOf(fields).properties).toMatch(
        /^(--[\w-]+: (#[0-9a-f]{6,8}|[\d.]+(px|rem|em)|[\p{L}\d _,"-]+);\s?)*$/u,
      );
    }),
  );
});

it("a form's state is restored, and cannot be forged", () => {
  const key = formKey(Buffer.alloc(32, 1));
  const states: fc.Arbitrary<FormState> = fc.record({
    survey: fc.constant("s"),
    submission: fc.uuid(),
    distinct_id: fc.string(),
    at: fc.option(fc.record({ index: fc.nat(), id: fc.string() })),
    path: fc.array(fc.record({ index: fc.nat(), id: fc.string() })),
    answers: fc.dictionary(
      fc.stringMatching(/^[a-z]{1,8}$/),
      fc.oneof(fc.string(), fc.nat(), fc.constant(null)),
    ),
    properties: fc.dictionary(
      fc.stringMatching(/^[a-z]{1,8}$/),
      fc.oneof(fc.string(), fc.nat(), fc.boolean()),
    ),
    language: fc.option(fc.constant("de")),
    embed: fc.boolean(),
    preview: fc.boolean(),
  });
  fc.assert(
    fc.property(states, fc.nat(), (state, at) => {
      const sealed = seal(key, state);
      expect(open(key, sealed, "s")).toEqual({ ...state });
      expect(open(key, sealed, "another")).toBeNull();
      expect(open(formKey(randomBytes(32)), sealed, "s")).toBeNull();
      const place = at % (sealed.length - 1);
      const changed = sealed[place] === "A" ? "B" : "A";
      expect(open(key, `${sealed.slice(0, place)}${changed}${sealed.slice(place + 1)}`, "s")).toBeNull();
    }),
    { numRuns: 50 },
  );
});
