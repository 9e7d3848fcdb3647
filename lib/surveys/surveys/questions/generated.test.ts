import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { checkPaths } from "#lib/engines/branching/paths.ts";
import { asQuestion } from "#lib/engines/branching/question.ts";
import { questionsForSdks } from "#lib/engines/branching/sdk-questions.ts";
import { surveyDue } from "#lib/surveys/surveys/schedule/schedule.ts";
import { clearOfMidnight } from "#testing/clock.ts";
import { jobContext } from "#testing/jobs.ts";
import { type Service, startService } from "#testing/service.ts";
import { generatedQuestions } from "#testing/survey-questions.ts";
import { createSurvey, ROOT, surveyBody } from "#testing/surveys.ts";

await clearOfMidnight();

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** Questions with rules that are anything at all. */
const wild = fc.array(
  fc.record(
    {
      question: fc.constant("?"),
      type: fc.oneof(fc.constantFrom("rating", "single_choice", "open"), fc.jsonValue({ maxDepth: 1 })),
      scale: fc.oneof(fc.constantFrom(2, 5, 10), fc.jsonValue({ maxDepth: 1 })),
      choices: fc.oneof(fc.constant(["A", "B"]), fc.jsonValue({ maxDepth: 1 })),
      hasOpenChoice: fc.jsonValue({ maxDepth: 0 }),
      optional: fc.jsonValue({ maxDepth: 0 }),
      branching: fc.oneof(
        fc.record({
          type: fc.oneof(
            fc.constantFrom("response_based", "specific_question"),
            fc.jsonValue({ maxDepth: 0 }),
          ),
          index: fc.jsonValue({ maxDepth: 1 }),
          responseValues: fc.oneof(
            fc.dictionary(
              fc.constantFrom("0", "1", "positive", "__proto__", "toString"),
              fc.jsonValue({ maxDepth: 1 }),
            ),
            fc.jsonValue({ maxDepth: 2 }),
          ),
        }),
        fc.jsonValue({ maxDepth: 2 }),
      ),
    },
    { requiredKeys: ["question"] },
  ),
  { maxLength: 5 },
);
const dates = fc.constantFrom(
  null,
  "1000-01-01",
  "2026-01-01T00:00:00Z",
  "2999-01-01T00:00:00Z",
  "9999-12-31T23:59:59Z",
);
const today = `${new Date().toISOString().slice(0, 10)}T00:00:00Z`;
const schedule = fc.record(
  {
    start_date: dates,
    end_date: dates,
    archived: fc.boolean(),
    responses_limit: fc.constantFrom(null, 0, 1, 2_147_483_647),
    iteration_count: fc.constantFrom(null, 0, 1, 500),
    iteration_frequency_days: fc.constantFrom(null, 0, 1, 3_650),
    current_iteration: fc.constantFrom(null, 0, 1, 1_000),
    response_sampling_start_date: fc.constantFrom(null, today, "9999-12-01T00:00:00Z"),
    response_sampling_interval: fc.constantFrom(null, 1, 3_650),
    response_sampling_interval_type: fc.constantFrom("day", "week", "month"),
    response_sampling_limit: fc.constantFrom(null, 0, 1, 1_000),
  },
  { requiredKeys: [] },
);
const asked = fc.oneof(
  generatedQuestions.map((questions) => questions.map((each) => ({ ...each, question: "?" }))),
  wild,
);

it("whatever questions and dates are sent, there is an answer, and it is the prover's", async () => {
  const target = await createSurvey(service);
  const launched = await createSurvey(service, { start_date: "2026-01-01T00:00:00Z" });
  await fc.assert(
    fc.asyncProperty(asked, schedule, async (questions, when) => {
      const check = await service.api("POST", `${ROOT}check/`, { questions });
      expect([200, 400]).toContain(check.status);
      const made = await service.api("POST", ROOT, surveyBody({ questions, ...when }));
      expect([201, 400]).toContain(made.status);
      expect([200, 400]).toContain((await service.api("PATCH", `${ROOT}${target.id}/`, when)).status);
      const live = await service.api("PATCH", `${ROOT}${launched.id}/`, { questions });
      expect(live.status).toBe(check.json.launchable ? 200 : 400);
      if (made.status !== 201) return;
      const stored = await service.api("GET", `${ROOT}${made.json.id}/check/`);
      expect(stored.json).toEqual(check.json);
      const payload = { project_id: 1, survey_id: made.json.id };
      await surveyDue.run(jobContext(service.runtime, { now: new Date(), payload }));
      expect((await service.api("GET", `${ROOT}${made.json.id}/`)).status).toBe(200);
    }),
    { numRuns: 150 },
  );
  const query = `?token=${service.token}`;
  expect((await service.api("GET", `/api/surveys/${query}`, undefined, { key: null })).status).toBe(200);
}, 120_000);

it("the prover takes anything for questions", () => {
  fc.assert(
    fc.property(wild, (questions) => {
      const asked = questions.map(asQuestion);
      expect(checkPaths(asked).reachable.length).toBeLessThanOrEqual(questions.length);
      expect(questionsForSdks(asked)).toHaveLength(questions.length);
    }),
    { numRuns: 2_000 },
  );
});
