import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Consequence, type Policy, policyInWords, requirementsOf } from "./requirements.ts";
import type { ImpactConditions, PolicyConditions } from "./schema.ts";

const policy = (more: Partial<Policy> = {}): Policy => ({
  id: "0197d6a0-0000-7000-8000-000000000001",
  action_key: "change",
  conditions: {},
  quorum: 1,
  users: [],
  allow_self_approve: false,
  forbidden: false,
  bypass_org_membership_levels: [],
  expires_after_seconds: 1_209_600,
  enabled: true,
  ...more,
});
const impact = (conditions: Omit<ImpactConditions, "type">): PolicyConditions => ({
  type: "impact",
  ...conditions,
});

/** On a Wednesday: a person with the level of a member switches the rollout of a flag from 10 to 20 percent. */
const consequence = (more: Partial<Consequence> = {}): Consequence => ({
  resources: ["feature_flag"],
  action_keys: ["feature_flag.update"],
  people: { changed: 10, total: 1_000 },
  running_experiments: [],
  running_surveys: [],
  new_properties: [],
  rollouts: { before: { "groups[0]": 10, "groups[1]": 90 }, after: { "groups[0]": 20, "groups[1]": 90 } },
  actor: "person",
  at: new Date("2026-03-04T12:00:00Z"),
  timezone: "Europe/Berlin",
  level: 1,
  ...more,
});
const people = (changed: number, total = 1_000) => ({ people: { changed, total } });
const FRIDAY_EVENING = impact({ times: [{ days: ["friday"], from: "16:00", to: "24:00" }] });
const compare = (type: "before_after" | "change_amount", operator: ">" | "<" | "==", value: number) =>
  ({ type, field: "rollout_percentage", operator, value }) as const;
const at = (text: string) => ({ at: new Date(text) });

describe("a policy is in force", () => {
  it.each<[string, Partial<Policy>, Partial<Consequence>, boolean]>([
    ["without conditions", {}, {}, true],
    ["not when it is disabled", { enabled: false }, {}, false],
    ["for its action", { action_key: "feature_flag.update" }, {}, true],
    ["not for another action", { action_key: "feature_flag.enable" }, {}, false],
    ["for any change that is no action on a flag", {}, { action_keys: [], resources: ["survey"] }, true],

    ["above its share", { conditions: impact({ share_above: 0.9 }) }, {}, true],
    ["not at its share", { conditions: impact({ share_above: 1 }) }, {}, false],
    ["not where there are no people", { conditions: impact({ share_above: 0 }) }, people(0, 0), false],
    ["above its number of people", { conditions: impact({ people_above: 9 }) }, {}, true],
    ["not at its number of people", { conditions: impact({ people_above: 10 }) }, {}, false],
    [
      "on a running experiment",
      { conditions: impact({ running_experiment: true }) },
      { running_experiments: ["Price"] },
      true,
    ],
    ["not without one", { conditions: impact({ running_experiment: true }) }, {}, false],
    [
      "on a running survey",
      { conditions: impact({ running_survey: true }) },
      { running_surveys: ["NPS"] },
      true,
    ],
    [
      "not on an experiment instead",
      { conditions: impact({ running_survey: true }) },
      { running_experiments: ["Price"] },
      false,
    ],
    [
      "with a new property",
      { conditions: impact({ new_property: true }) },
      { new_properties: ["plan"] },
      true,
    ],
    ["not without a new property", { conditions: impact({ new_property: true }) }, {}, false],
    [
      "for a change set with one of its resources",
      { conditions: impact({ resources: ["cohort", "survey"] }) },
      { resources: ["feature_flag", "survey"] },
      true,
    ],
    ["not for other resources", { conditions: impact({ resources: ["cohort"] }) }, {}, false],
    ["for its actors", { conditions: impact({ actors: ["agent", "key"] }) }, { actor: "key" }, true],
    ["not for others", { conditions: impact({ actors: ["agent", "key"] }) }, {}, false],
    [
      "when all of its members hold",
      { conditions: impact({ share_above: 0.5, running_experiment: true }) },
      { running_experiments: ["Price"] },
      true,
    ],
    [
      "not when only some do",
      { conditions: impact({ share_above: 0.5, running_experiment: true }) },
      {},
      false,
    ],

    // Berlin is an hour ahead of UTC until 29 March, then two.
    ["from the first minute", { conditions: FRIDAY_EVENING }, at("2026-03-06T15:00:00Z"), true],
    ["not before it", { conditions: FRIDAY_EVENING }, at("2026-03-06T14:59:59Z"), false],
    ["to the end of the day", { conditions: FRIDAY_EVENING }, at("2026-03-06T22:59:59Z"), true],
    ["not on the next day", { conditions: FRIDAY_EVENING }, at("2026-03-06T23:00:00Z"), false],
    ["in summer by the clock in summer", { conditions: FRIDAY_EVENING }, at("2026-04-03T14:00:00Z"), true],
    ["not on the day before", { conditions: FRIDAY_EVENING }, at("2026-03-05T16:00:00Z"), false],
    [
      "by the clock of the project, where it is Friday already",
      { conditions: FRIDAY_EVENING },
      { ...at("2026-03-06T03:00:00Z"), timezone: "Pacific/Kiritimati" },
      true,
    ],

    ["above 15 % afterwards", { conditions: compare("before_after", ">", 15) }, {}, true],
    ["not below 15 % afterwards", { conditions: compare("before_after", "<", 15) }, {}, false],
    ["exactly 90 % anywhere afterwards", { conditions: compare("before_after", "==", 90) }, {}, true],
    ["after a step of more than 9 points", { conditions: compare("change_amount", ">", 9) }, {}, true],
    ["not after a smaller step", { conditions: compare("change_amount", ">", 10) }, {}, false],
    [
      "not by a step to a set that is new",
      { conditions: compare("change_amount", ">", 9) },
      { rollouts: { before: {}, after: { "groups[0]": 100 } } },
      false,
    ],
    [
      "after any change of a rollout",
      { conditions: { type: "any_change", field: "rollout_percentage" } },
      { rollouts: { before: { "groups[0]": 10 }, after: {} } },
      true,
    ],
    [
      "not after none",
      { conditions: { type: "any_change", field: "rollout_percentage" } },
      { rollouts: { before: { "groups[0]": 10 }, after: { "groups[0]": 10 } } },
      false,
    ],

    ["not for a level that is free", { bypass_org_membership_levels: [8, 15] }, { level: 15 }, false],
    ["for another level", { bypass_org_membership_levels: [8, 15] }, { level: 1 }, true],
    [
      "not for a key of a level that is free",
      { bypass_org_membership_levels: [15] },
      { level: 15, actor: "key" },
      false,
    ],
    [
      "for an agent of a level that is free",
      { bypass_org_membership_levels: [15] },
      { level: 15, actor: "agent" },
      true,
    ],
  ])("%s", (_, fields, done, expected) => {
    expect(requirementsOf([policy(fields)], consequence(done)) !== null).toBe(expected);
  });
});

describe("what a change needs", () => {
  const RULES = [
    policy({ id: "one", conditions: impact({ share_above: 1 }) }),
    policy({ id: "two", conditions: impact({ share_above: 20 }), quorum: 2, expires_after_seconds: 3_600 }),
    policy({ id: "experiment", conditions: impact({ running_experiment: true }), quorum: 2, users: [7, 8] }),
    policy({ id: "agent", conditions: impact({ actors: ["agent"] }) }),
    policy({ id: "friday", conditions: FRIDAY_EVENING, forbidden: true, quorum: 5 }),
  ];
  const needs = (more: Partial<Consequence>) => {
    const found = requirementsOf(RULES, consequence(more));
    return found && [found.quorum, found.forbidden !== null, found.policies.map(({ id }) => id)];
  };

  it.each<[string, Partial<Consequence>, unknown]>([
    ["nothing under one percent", people(10), null],
    ["one reviewer above", people(11), [1, false, ["one"]]],
    ["two above twenty percent, of whom one satisfies the other", people(201), [2, false, ["one", "two"]]],
    ["two when an experiment runs", { running_experiments: ["Price"] }, [2, false, ["experiment"]]],
    ["a reviewer of an agent's change", { actor: "agent" }, [1, false, ["agent"]]],
    ["another day than Friday evening", at("2026-03-06T18:00:00Z"), [0, true, ["friday"]]],
    [
      "another day, and reviewers too",
      { ...at("2026-03-06T18:00:00Z"), ...people(500) },
      [2, true, ["one", "two", "friday"]],
    ],
  ])("%s", (_, done, expected) => {
    expect(needs(done)).toEqual(expected);
  });

  it("waits as long as the most impatient of its policies, and knows their approvers", () => {
    const found = requirementsOf(RULES, consequence({ ...people(300), running_experiments: ["Price"] }));
    expect(found).toMatchObject({
      expires_after_seconds: 3_600,
      forbidden: null,
      policies: [{ users: [] }, { users: [], allow_self_approve: false }, { users: [7, 8], quorum: 2 }],
    });
  });

  it("says why it is forbidden", () => {
    expect(requirementsOf(RULES, consequence(at("2026-03-06T18:00:00Z")))?.forbidden).toBe(
      "A change is not allowed if it is requested on Friday from 16:00 to 24:00.",
    );
  });

  it("is nothing without policies", () => {
    expect(requirementsOf([], consequence(people(1_000)))).toBeNull();
  });

  const names = fc.uniqueArray(fc.constantFrom("a", "b", "c"));
  const anyPolicy = fc
    .record({
      quorum: fc.integer({ min: 1, max: 5 }),
      forbidden: fc.boolean(),
      enabled: fc.boolean(),
      conditions: fc
        .record(
          {
            share_above: fc.double({ min: 0, max: 100, noNaN: true }),
            people_above: fc.integer({ min: 0, max: 1_000 }),
            running_experiment: fc.constant(true as const),
            running_survey: fc.constant(true as const),
            new_property: fc.constant(true as const),
            resources: fc.uniqueArray(fc.constantFrom("feature_flag", "cohort", "experiment", "survey"), {
              minLength: 1,
            }),
          },
          { requiredKeys: [] },
        )
        .map((conditions) => impact(conditions as Omit<ImpactConditions, "type">)),
    })
    .map(policy);
  const anyImpact = fc.record({
    changed: fc.integer({ min: 0, max: 1_000 }),
    running_experiments: names,
    running_surveys: names,
    new_properties: names,
    resources: fc.uniqueArray(
      fc.constantFrom<Consequence["resources"][number]>("feature_flag", "cohort", "experiment", "survey"),
    ),
  });
  const withImpact = ({ changed, ...rest }: { changed: number } & Partial<Consequence>) =>
    consequence({ ...people(changed), ...rest });

  it("is never less for more impact, or with more policies", () => {
    fc.assert(
      fc.property(
        fc.array(anyPolicy, { maxLength: 6 }),
        fc.nat(6),
        anyImpact,
        anyImpact,
        (policies, n, a, b) => {
          const less = requirementsOf(policies.slice(0, n), withImpact(a));
          const more = requirementsOf(
            policies,
            withImpact({
              changed: Math.max(a.changed, b.changed),
              running_experiments: [...a.running_experiments, ...b.running_experiments],
              running_surveys: [...a.running_surveys, ...b.running_surveys],
              new_properties: [...a.new_properties, ...b.new_properties],
              resources: [...a.resources, ...b.resources],
            }),
          );
          if (!less) return;
          expect(more?.quorum).toBeGreaterThanOrEqual(less.quorum);
          expect(more?.policies).toEqual(expect.arrayContaining(less.policies));
          if (less.forbidden) expect(more?.forbidden).toContain(less.forbidden.split(". ")[0]);
        },
      ),
    );
  });
});

describe("a policy in words", () => {
  const users = new Map([
    [7, "Ada Lovelace"],
    [8, "Bob"],
  ]);
  it.each<[Partial<Policy>, string]>([
    [{}, "A change needs one approval."],
    [
      { action_key: "feature_flag.enable", quorum: 2, users: [7, 8, 9] },
      "Enabling a flag needs two approvals by Ada Lovelace, Bob, or somebody who has left.",
    ],
    [
      { conditions: impact({ share_above: 0.5, people_above: 1_200 }), quorum: 12 },
      "A change needs 12 approvals if it changes the value of more than 0.5% of people and more than 1,200 people.",
    ],
    [
      {
        conditions: impact({
          running_experiment: true,
          running_survey: true,
          new_property: true,
          resources: ["feature_flag", "cohort"],
          actors: ["key", "agent"],
        }),
      },
      "A change needs one approval if it is made to a feature flag or a cohort, an experiment is running on it, a survey is running on it, it reads a property that was not read before, and an API key or an agent requests it.",
    ],
    [
      {
        forbidden: true,
        bypass_org_membership_levels: [15],
        conditions: impact({
          times: [
            { days: ["friday"], from: "16:00", to: "24:00" },
            { days: ["saturday", "sunday"], from: "00:00", to: "24:00" },
          ],
        }),
      },
      "A change is not allowed if it is requested on Friday from 16:00 to 24:00 or on Saturday or Sunday. This does not apply to owners.",
    ],
    [
      { action_key: "feature_flag.update", conditions: compare("before_after", ">", 50) },
      "Changing the rollout of a flag needs one approval if a rollout percentage is more than 50% afterwards.",
    ],
    [
      { conditions: compare("change_amount", "<", -10), allow_self_approve: true },
      "A change needs one approval if a rollout percentage grows by less than −10 points. The requester may approve it.",
    ],
    [
      {
        action_key: "feature_flag.disable",
        conditions: { type: "any_change", field: "rollout_percentage" },
        bypass_org_membership_levels: [8, 15],
      },
      "Disabling a flag needs one approval if a rollout percentage changes. This does not apply to administrators and owners.",
    ],
  ])("%#: %o", (fields, words) => {
    expect(policyInWords(policy(fields), { users })).toBe(words);
  });
});
