import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { draftOf, questionsOf } from "#components/surveys/draft/draft.ts";
import { newDraft } from "#components/surveys/draft/survey-draft.ts";
import { checkPaths } from "#lib/engines/branching/paths.ts";
import { questionsForSdks } from "#lib/engines/branching/sdk-questions.ts";
import { launch, visit } from "#testing/hosted-surveys.ts";
import { type Service, startService } from "#testing/service.ts";
import { ROOT } from "#testing/surveys.ts";
import { cardIn } from "./preview-card.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** Types of ours, and whatever else somebody may store as one. */
const type = fc.oneof(
  fc.constantFrom("open", "link", "rating", "single_choice", "multiple_choice"),
  fc.constantFrom("matrix", "", "Rating", "__proto__", "constructor", "toString"),
  fc.jsonValue({ maxDepth: 1 }),
);

const anything = fc.jsonValue({ maxDepth: 1 });
const plainText = fc.stringMatching(/^[a-z]{1,8}$/);

/** Everything that the API stores as it is sent: fields of other kinds than its own too. */
const question = fc.record(
  {
    question: plainText,
    type,
    optional: anything,
    scale: fc.oneof(fc.constantFrom(2, 3, 5, 7, 10), anything),
    display: anything,
    choices: fc.oneof(fc.uniqueArray(plainText, { maxLength: 3 }), fc.constantFrom(null, "", 0)),
    hasOpenChoice: anything,
    shuffleOptions: anything,
    skipSubmitButton: anything,
    validation: anything,
    branching: fc.oneof(
      anything,
      fc.record({
        type: fc.constantFrom("response_based", "specific_question", "end", "odd"),
        index: fc.nat({ max: 4 }),
        responseValues: fc.dictionary(fc.constantFrom("0", "1", "negative", "promoters"), fc.nat({ max: 4 })),
      }),
    ),
    laterField: anything,
  },
  { requiredKeys: ["question", "type"] },
);

const form = fc.record({ answer: fc.constantFrom("0", "1", "text"), other: fc.constantFrom("", "mine") });

it("whatever is stored as a question is served unchanged, asked, previewed, checked and counted", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(question, { minLength: 1, maxLength: 4 }),
      fc.array(form, { maxLength: 4 }),
      async (generated, forms) => {
        const sent = JSON.parse(JSON.stringify(generated));
        const survey = await launch(service, sent, { start_date: null });
        const path = `${ROOT}${survey.id}/`;
        const stored = (await service.api("GET", path)).json.questions;
        // Ids are added, and nothing else.
        expect(stored).toEqual(
          sent.map((each: object, i: number) => ({
            ...each,
            id: stored[i].id,
            ...(stored[i].choice_ids && { choice_ids: stored[i].choice_ids }),
          })),
        );
        expect(JSON.parse(JSON.stringify(questionsOf(draftOf(stored))))).toEqual(stored);
        expect((await service.api("GET", `${path}check/`)).json).toEqual(
          JSON.parse(JSON.stringify(checkPaths(stored))),
        );
        expect(questionsForSdks(stored).map(({ question }) => question)).toEqual(
          sent.map((each: { question: string }) => each.question),
        );

        const draft = newDraft({ type: "external_survey" }, stored);
        for (const [behind, { uid, raw }] of draft.questions.entries())
          expect(String(cardIn(draft, { uid }, behind, null, null))).toContain(raw.question);

        await service.api("PATCH", path, { start_date: "2026-01-01T00:00:00Z" });
        let page = await visit(service, survey.id);
        for (const fields of forms) {
          if (page.state === null) break;
          expect(page.html).not.toContain("undefined");
          page = await page.send(fields);
        }
        expect([200, 404, 422]).toContain(page.status);
        const results = await service.api("GET", `${path}results/`);
        expect(results.status).toBe(200);
        expect(results.json.questions).toHaveLength(sent.length);
        expect((await service.api("GET", path)).json.questions).toEqual(stored);
      },
    ),
    { numRuns: 20 },
  );
});
