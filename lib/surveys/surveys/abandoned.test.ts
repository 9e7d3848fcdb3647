import { afterAll, beforeAll, expect, it } from "vitest";
import { type Service, startService } from "#testing/service.ts";
import { createSurvey, ROOT } from "#testing/surveys.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const nothing = { total_count: 0, unique_persons: 0, first_seen: null, last_seen: null };

it("who leaves in the middle has neither answered nor dismissed", async () => {
  const survey = await createSurvey(service, {
    start_date: "2026-01-01T00:00:00Z",
    questions: [{ id: "why", type: "open", question: "Why?" }],
  });
  const happened = (event: string, properties: Record<string, unknown> = {}) => ({
    event,
    properties: { distinct_id: "ada", token: service.token, $survey_id: survey.id, ...properties },
  });
  const answers = {
    $survey_submission_id: "s-1",
    $survey_partially_completed: true,
    $survey_response_why: "Because",
    $survey_questions: [{ id: "why", question: "Why?", response: "Because" }],
  };
  for (const partially of [true, false]) {
    const batch = [
      happened("survey shown"),
      happened("survey abandoned", { ...answers, $survey_partially_completed: partially }),
    ];
    const sent = await service.api("POST", "/i/v0/e/", { batch }, { key: null });
    expect([sent.status, sent.json]).toEqual([200, { status: "Ok" }]);
  }
  for (const path of [`${ROOT}${survey.id}/stats/`, `${ROOT}stats/`]) {
    const { stats, rates } = (await service.api("GET", path)).json;
    expect(stats["survey shown"]).toMatchObject({
      total_count: 2,
      unique_persons: 1,
      total_count_only_seen: 2,
    });
    expect(stats["survey sent"]).toMatchObject(nothing);
    expect(stats["survey dismissed"]).toMatchObject(nothing);
    expect(Object.values(rates)).toEqual([0, 0, 0, 0]);
  }
  expect((await service.api("GET", `${ROOT}responses_count/`)).json).toEqual({});
});
