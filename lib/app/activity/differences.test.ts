import { expect, it } from "vitest";
import type { ActivityEntry } from "#lib/activity/schema.ts";
import { entryDifferences, pinnedPersonHref, referencesIn, scheduleHref } from "./differences.ts";

const entry = (scope: string, field: string, before: unknown, after: unknown): ActivityEntry => ({
  id: "1",
  user: { first_name: "Ada", email: "ada@example.com" },
  activity: "updated",
  scope,
  item_id: "1",
  detail: {
    changes: [{ type: scope, action: "changed", field, before, after }],
    trigger: null,
    type: null,
    name: "x",
    short_id: null,
  },
  created_at: "2026-01-01T00:00:00Z",
});
const cohort = (...values: unknown[]) => ({ properties: { type: "OR", values: [{ type: "AND", values }] } });
const row = (value: string) => ({ key: "plan", type: "person", operator: "exact", value: [value] });

const schedule = {
  id: 7,
  payload: { operation: "update_status", value: true },
  scheduled_at: "2026-03-29T07:00:00.000000Z",
  is_recurring: true,
  recurrence_interval: "daily",
  cron_expression: null,
  end_date: null,
  timezone: "Europe/Berlin",
  guard: true,
};

it("says in words what somebody is pinned to, and links the person as far as there is one", () => {
  const pin = { id: "p", person_id: "anna", value: "test", until: "2026-03-03T10:00:00.000000Z" };
  const changed = entry("FeatureFlag", "pins", { ...pin, value: false, until: null }, pin);
  expect(entryDifferences(changed)).toEqual([
    { what: "Pinned for one person", before: "off", after: "test until Tue, 3 Mar 2026, 10:00 UTC" },
  ]);
  const href = (before: unknown) => pinnedPersonHref("3", entry("FeatureFlag", "pins", before, null));
  expect([href(pin), href({ ...pin, person_id: null }), href("p")]).toEqual([
    "/project/3/persons/anna?tab=flags",
    null,
    null,
  ]);
});

it("links the schedule that an entry made, and none where it is gone", () => {
  const href = (after: unknown) => scheduleHref("3", entry("FeatureFlag", "scheduled_changes", null, after));
  expect([href(schedule), href(null), href({ id: 7 })]).toEqual([
    "/project/3/feature_flags/1/history?schedule=7#schedule-7",
    null,
    null,
  ]);
});

it.each([
  [
    "FeatureFlag",
    "scheduled_changes",
    null,
    { ...schedule, is_recurring: false, recurrence_interval: null, guard: false },
    ["Schedule", null, "Turn on: Sun, 29 Mar 2026, 09:00 CEST"],
  ],
  [
    "FeatureFlag",
    "scheduled_changes",
    schedule,
    { ...schedule, is_recurring: false, end_date: "2026-04-29T07:00:00Z" },
    [
      "Schedule",
      "Turn on: Sun, 29 Mar 2026, 09:00 CEST, every day, guarded",
      "Turn on: Sun, 29 Mar 2026, 09:00 CEST, every day, until Wed, 29 Apr 2026, 09:00 CEST, paused, guarded",
    ],
  ],
  [
    "Cohort",
    "filters",
    cohort(row("pro")),
    cohort(row("team")),
    ["Definition", "plan is pro", "plan is team"],
  ],
  [
    "Project",
    "event_retention",
    null,
    { days: 90, by_event: { $pageview: 30, purchase: null } },
    ["Retention of events", "forever", "90 days; $pageview 30 days; purchase forever"],
  ],
  [
    "Project",
    "event_retention",
    { days: 90, by_event: {} },
    { days: 90, by_event: {}, keep_in_clickhouse: true },
    ["Retention of events", "90 days", "90 days; older ones stay in ClickHouse"],
  ],
  ["Cohort", "description", "", "Payers", ["Description", null, "Payers"]],
  [
    "PersonalAPIKey",
    "scopes",
    ["survey:read"],
    ["*"],
    ["Permissions", "read Surveys", "access to everything"],
  ],
  [
    "PersonalAPIKey",
    "expires_at",
    "2030-01-01T08:00:00Z",
    null,
    ["Expires", "2030-01-01 08:00 UTC", "never"],
  ],
  ["PersonalAPIKey", "scoped_teams", [], [1, 2], ["Projects", "all", "1, 2"]],
  ["Project", "secret_api_token", null, null, ["Secret key", null, "another one"]],
  ["OrganizationMembership", "level", 1, 8, ["Level", "member", "administrator"]],
  ["OrganizationMembership", "is_active", true, false, ["State", "active", "deactivated"]],
  [
    "ApprovalPolicy",
    "conditions",
    {},
    { type: "impact", share_above: 5 },
    ["In force if", "always", "it changes the value of more than 5% of people"],
  ],
  [
    "ApprovalPolicy",
    "approver_config",
    { quorum: 1, users: [], roles: [] },
    { quorum: 2, users: [7, 8], roles: [] },
    ["Approvers", "1 approval by any member", "2 approvals by 2 named people"],
  ],
  ["Survey", "start_date", null, "2026-01-02T03:04:05.123Z", ["Start date", null, "2026-01-02 03:04 UTC"]],
  ["FeatureFlag", "active", true, false, ["State", "on", "off"]],
])("%s: %s", (scope, field, before, after, [what, was, is]) => {
  expect(entryDifferences(entry(scope, field, before, after))).toEqual([{ what, before: was, after: is }]);
});

it("says of a flag's filters which set differs", () => {
  const filters = (share: number) => ({ groups: [{ properties: [], rollout_percentage: share }] });
  const [difference, ...more] = entryDifferences(entry("FeatureFlag", "filters", filters(10), filters(50)));
  expect(more).toEqual([]);
  expect(difference?.before).toMatch(/10% of people/);
  expect(difference?.after).toMatch(/50% of people/);
});

it("leaves versions out", () => {
  expect(entryDifferences(entry("FeatureFlag", "version", 1, 2))).toEqual([]);
});

it("finds what filters refer to", () => {
  const filters = {
    groups: [
      {
        properties: [
          { type: "flag", key: "12", value: true },
          { type: "cohort", value: 3 },
        ],
      },
    ],
  };
  expect(referencesIn([entry("FeatureFlag", "filters", null, filters)])).toEqual({
    flags: ["12"],
    cohorts: true,
  });
  expect(referencesIn([entry("FeatureFlag", "name", "a", "b")])).toEqual({ flags: [], cohorts: false });
});

it("a survey's questions are compared one by one, in words", () => {
  const questions = (...more: object[]) => [
    {
      id: "a",
      type: "rating",
      scale: 10,
      question: "How likely?",
      branching: { type: "response_based", responseValues: { detractors: 1, promoters: "end" } },
    },
    { id: "b", type: "single_choice", question: "Why?", choices: ["Price", "Speed"], choice_ids: ["1", "2"] },
    ...more,
  ];
  const [first, second] = questions();
  const after = [
    { ...first, branching: { type: "specific_question", index: 2 } },
    { ...second, choices: ["Price", "Pace"], choice_ids: ["1", "3"], optional: true },
    { type: "open", question: "What else?" },
  ];
  expect(entryDifferences(entry("Survey", "questions", questions(), after))).toEqual([
    {
      what: "Question 1: where answers lead",
      before: "detractors to question 2; promoters to the end",
      after: "to question 3",
    },
    { what: "Question 2: choices", before: "Price; Speed", after: "Price; Pace" },
    { what: "Question 2: optional", before: null, after: "yes" },
    { what: "Question 3", before: null, after: "Open text: What else?" },
  ]);
  expect(entryDifferences(entry("Survey", "questions", questions(), [second]))).toEqual([
    { what: "Question 1", before: "at position 2", after: "at position 1" },
    { what: "Question 1", before: "Rating: How likely?", after: null },
  ]);
  expect(entryDifferences(entry("Survey", "questions", null, "?"))).toEqual([]);
});

it("a survey's conditions and appearance are compared member by member", () => {
  const conditions = entryDifferences(
    entry("Survey", "conditions", null, { url: "/pay", deviceTypes: ["Mobile"] }),
  );
  expect(conditions).toEqual([
    { what: "Condition: url", before: null, after: "/pay" },
    { what: "Condition: deviceTypes", before: null, after: "Mobile" },
  ]);
  expect(entryDifferences(entry("Survey", "appearance", { position: "left", a: 1 }, { a: 1 }))).toEqual([
    { what: "Appearance: position", before: "left", after: null },
  ]);
});
