import { expect, it } from "vitest";
import type { FlagDefinition } from "#lib/engines/evaluation/values/types.ts";
import { DEMO_EXPERIMENTS } from "./experiments.ts";
import { guideEvents } from "./guide.ts";
import { demoPeople } from "./people.ts";
import { demoSurveys } from "./surveys/surveys.ts";

const NOW = Date.parse("2026-11-24T12:00:00Z");

const everyone = { properties: [], rollout_percentage: 100 };
const onPlan = (plan: string) => ({
  properties: [{ key: "plan", type: "person", operator: "exact", value: [plan] }],
  rollout_percentage: 100,
});

it("one person of the demo is in every running experiment, has answered, and got values that are different now", () => {
  const person = { ...demoPeople(NOW).at(-1), properties: { plan: "enterprise" } };
  const running = DEMO_EXPERIMENTS.filter(({ started, ended }) => started !== null && ended === null);
  const flags = [
    ...running.map(({ body }) => ({
      key: body.feature_flag_key,
      filters: { groups: [everyone], multivariate: { variants: body.parameters?.feature_flag_variants } },
    })),
    { key: "for-free", filters: { groups: [onPlan("free")] } },
    { key: "for-all", filters: { groups: [everyone] } },
  ].map((flag, id) => ({ ...flag, id, active: true })) as unknown as FlagDefinition[];
  const surveys = demoSurveys(NOW).map((survey, n) => ({
    id: `survey-${n}`,
    survey,
    questions: survey.questions,
  }));
  const events = [...guideEvents(NOW, person as ReturnType<typeof demoPeople>[number], flags, surveys)];

  expect(events.every(({ timestamp }) => Date.parse(timestamp) < NOW)).toBe(true);
  expect(new Set(events.map(({ uuid }) => uuid)).size).toBe(events.length);
  const served = new Map(
    events.map(({ properties }) => [properties.$feature_flag, properties.$feature_flag_response]),
  );
  for (const { body } of running)
    expect(body.parameters?.feature_flag_variants).toContainEqual(
      expect.objectContaining({ key: served.get(body.feature_flag_key) }),
    );
  expect([served.get("for-free"), served.get("for-all")]).toEqual([true, true]);
  const [sent] = events.filter(({ event }) => event === "survey sent");
  expect(sent?.properties).toMatchObject({ $survey_completed: true, $survey_response_nps: 9 });
});
