import type { z } from "zod";
import { timeZone } from "#lib/engines/time-zone.ts";
import { formatCount, formatNumber, formatShortPercent, plural } from "#lib/platform/format.ts";
import type {
  ACTION_KEYS,
  ACTORS,
  ImpactConditions,
  OPERATORS,
  PolicyConditions,
  policyCreate,
  policyUpdate,
  RESOURCES,
} from "./schema.ts";
import { DAYS } from "./schema.ts";

/** What a change would do if it was saved, who asks for it, and when. */
export type Consequence = {
  /** Kinds of the records that are written. */
  resources: (typeof RESOURCES)[number][];
  /** feature_flag.enable, feature_flag.disable and feature_flag.update, as far as they apply. */
  action_keys: string[];
  /** People whose value changes since the last approved state, of the flag that changes most. */
  people: { changed: number; total: number };
  /** Names of the running experiments that it touches. */
  running_experiments: string[];
  /** Names of the running surveys that it touches. */
  running_surveys: string[];
  /** Properties that are read after it, and not before. */
  new_properties: string[];
  /** Rollout percentages by their path in the filters of flags. */
  rollouts: { before: Record<string, number>; after: Record<string, number> };
  actor: (typeof ACTORS)[number];
  at: Date;
  /** IANA zone of the project, by whose clock times of policies are meant. */
  timezone: string;
  /** Level of the actor's membership: 1 member, 8 administrator, 15 owner. */
  level: number;
};

/** A policy of a project, as far as it decides anything. */
export type Policy = {
  id: string;
  action_key: (typeof ACTION_KEYS)[number];
  conditions: PolicyConditions;
  quorum: number;
  /** Ids of those who may approve; empty: every member of the organization. */
  users: number[];
  allow_self_approve: boolean;
  forbidden: boolean;
  bypass_org_membership_levels: number[];
  expires_after_seconds: number;
  enabled: boolean;
};

/** What a body stores of a policy; absent fields stay away. */
export function storedFieldsOf(body: z.output<typeof policyUpdate>): Partial<Omit<Policy, "id">> {
  const { approver_config, bypass_roles: _, expires_after, ...fields } = body;
  return {
    ...fields,
    ...(approver_config && { quorum: approver_config.quorum, users: [...new Set(approver_config.users)] }),
    ...(expires_after !== undefined && { expires_after_seconds: expires_after }),
  };
}

/** The approvers of a policy that forbids, until it no longer does. */
const ANYBODY = { quorum: 1, users: [] };

/** The whole policy of a body that has the defaults of what it leaves out. */
export const policyOf = (body: z.output<typeof policyCreate>): Omit<Policy, "id"> =>
  ({ ...ANYBODY, ...storedFieldsOf(body) }) as Omit<Policy, "id">;

/** A policy as it was when a request was made under it. */
type PolicySnapshot = Omit<Policy, "enabled" | "expires_after_seconds">;

/** What a change needs before it is applied. */
export type Requirement = {
  /** The strictest quorum; the approvers must satisfy each of the policies. */
  quorum: number;
  /** Why not even approval helps; null where it does. */
  forbidden: string | null;
  /** The policies in force. */
  policies: PolicySnapshot[];
  /** How long a request waits at most. */
  expires_after_seconds: number;
};

type Operator = (typeof OPERATORS)[number];

const COMPARISONS: Record<Operator, (value: number, limit: number) => boolean> = {
  ">": (value, limit) => value > limit,
  "<": (value, limit) => value < limit,
  ">=": (value, limit) => value >= limit,
  "<=": (value, limit) => value <= limit,
  "==": (value, limit) => value === limit,
  "!=": (value, limit) => value !== limit,
};

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;

const minutesOf = (clock: string): number => {
  const [hours = 0, minutes = 0] = clock.split(":").map(Number);
  return hours * 60 + minutes;
};

/** Whether a moment is in one of the times, by the clock of a zone. */
function isWithin(times: NonNullable<ImpactConditions["times"]>, { at, timezone }: Consequence): boolean {
  const shown = timeZone(timezone).clockAt(at.getTime());
  const today = DAYS[new Date(shown).getUTCDay()];
  const minute = Math.floor(shown / MINUTE_MS) % DAY_MINUTES;
  return times.some(
    ({ days, from, to }) =>
      days.some((day) => day === today) && minute >= minutesOf(from) && minute < minutesOf(to),
  );
}

const meet = (wanted: readonly string[] | undefined, given: readonly string[]): boolean =>
  wanted === undefined || wanted.some((each) => given.includes(each));

function hasImpact(conditions: ImpactConditions, consequence: Consequence): boolean {
  const { share_above, people_above, times } = conditions;
  const { changed, total } = consequence.people;
  return (
    (share_above === undefined || (changed / total) * 100 > share_above) &&
    (people_above === undefined || changed > people_above) &&
    (!conditions.running_experiment || consequence.running_experiments.length > 0) &&
    (!conditions.running_survey || consequence.running_surveys.length > 0) &&
    (!conditions.new_property || consequence.new_properties.length > 0) &&
    meet(conditions.resources, consequence.resources) &&
    meet(conditions.actors, [consequence.actor]) &&
    (times === undefined || isWithin(times, consequence))
  );
}

function holds(conditions: PolicyConditions, consequence: Consequence): boolean {
  if (!("type" in conditions)) return true;
  if (conditions.type === "impact") return hasImpact(conditions, consequence);
  const { before, after } = consequence.rollouts;
  if (conditions.type === "any_change")
    return Object.keys({ ...before, ...after }).some((path) => before[path] !== after[path]);
  const { type, operator, value } = conditions;
  return Object.entries(after).some(([path, now]) => {
    if (type === "before_after") return COMPARISONS[operator](now, value);
    const then = before[path];
    return then !== undefined && COMPARISONS[operator](now - then, value);
  });
}

/** Levels free people and their keys; an agent is never on its own. */
const isFree = ({ bypass_org_membership_levels: levels }: Policy, { actor, level }: Consequence): boolean =>
  actor !== "agent" && levels.includes(level);

const isInForce = (policy: Policy, consequence: Consequence): boolean =>
  policy.enabled &&
  (policy.action_key === "change" || consequence.action_keys.includes(policy.action_key)) &&
  !isFree(policy, consequence) &&
  holds(policy.conditions, consequence);

/**
 * What a change needs under the policies of its project.
 *
 * @returns null where no policy is in force: the change is free
 */
export function requirementsOf(policies: readonly Policy[], consequence: Consequence): Requirement | null {
  const inForce = policies.filter((policy) => isInForce(policy, consequence));
  if (inForce.length === 0) return null;
  const forbidding = inForce.filter(({ forbidden }) => forbidden);
  return {
    quorum: Math.max(...inForce.map(({ forbidden, quorum }) => (forbidden ? 0 : quorum))),
    forbidden:
      forbidding.length > 0
        ? forbidding.map((policy) => policyInWords(policy, { users: new Map() })).join(" ")
        : null,
    policies: inForce.map(({ enabled: _, expires_after_seconds: __, ...snapshot }) => snapshot),
    expires_after_seconds: Math.min(...inForce.map((policy) => policy.expires_after_seconds)),
  };
}

const either = new Intl.ListFormat("en", { type: "disjunction" });
const all = new Intl.ListFormat("en", { type: "conjunction" });

const ACTIONS: Record<Policy["action_key"], string> = {
  change: "A change",
  "feature_flag.enable": "Enabling a flag",
  "feature_flag.disable": "Disabling a flag",
  "feature_flag.update": "Changing the rollout of a flag",
};
const RESOURCE_WORDS: Record<(typeof RESOURCES)[number], string> = {
  feature_flag: "a feature flag",
  cohort: "a cohort",
  experiment: "an experiment",
  survey: "a survey",
};
const ACTOR_WORDS: Record<(typeof ACTORS)[number], string> = {
  person: "a person",
  key: "an API key",
  agent: "an agent",
};
const OPERATOR_WORDS: Record<Operator, string> = {
  ">": "more than",
  "<": "less than",
  ">=": "at least",
  "<=": "at most",
  "==": "exactly",
  "!=": "other than",
};
const LEVEL_WORDS: Record<number, string> = { 1: "members", 8: "administrators", 15: "owners" };
const NUMBERS = ["no", "one", "two", "three", "four", "five"];

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function timeInWords({ days, from, to }: NonNullable<ImpactConditions["times"]>[number]): string {
  const named = either.format(days.map(capitalized));
  return from === "00:00" && to === "24:00" ? `on ${named}` : `on ${named} from ${from} to ${to}`;
}

function impactInWords(conditions: ImpactConditions): string[] {
  const { share_above, people_above, resources, actors, times } = conditions;
  const people = [
    share_above === undefined ? [] : `more than ${formatShortPercent(share_above / 100)} of people`,
    people_above === undefined ? [] : `more than ${plural(people_above, "person", "people")}`,
  ].flat();
  return [
    people.length > 0 ? `it changes the value of ${all.format(people)}` : [],
    resources ? `it is made to ${either.format(resources.map((each) => RESOURCE_WORDS[each]))}` : [],
    conditions.running_experiment ? "an experiment is running on it" : [],
    conditions.running_survey ? "a survey is running on it" : [],
    conditions.new_property ? "it reads a property that was not read before" : [],
    actors ? `${either.format(actors.map((each) => ACTOR_WORDS[each]))} asks for it` : [],
    times ? `it is asked for ${either.format(times.map(timeInWords))}` : [],
  ].flat();
}

function clausesOf(conditions: PolicyConditions): string[] {
  if (!("type" in conditions)) return [];
  switch (conditions.type) {
    case "impact":
      return impactInWords(conditions);
    case "any_change":
      return ["a rollout percentage changes"];
    case "before_after":
      return [
        `a rollout percentage is ${OPERATOR_WORDS[conditions.operator]} ${formatNumber(conditions.value)}% afterwards`,
      ];
    case "change_amount":
      return [
        `a rollout percentage grows by ${OPERATOR_WORDS[conditions.operator]} ${formatNumber(conditions.value)} points`,
      ];
  }
}

/** When a policy is in force: "it changes the value of more than 1% of people"; null: always. */
export function conditionsInWords(conditions: PolicyConditions): string | null {
  const clauses = clausesOf(conditions);
  return clauses.length > 0 ? all.format(clauses) : null;
}

/**
 * What a policy asks for, as one or more sentences.
 *
 * @param context names of the organization's members by id; others who are named as approvers have left it
 */
export function policyInWords(policy: Omit<Policy, "id">, { users }: { users: Map<number, string> }): string {
  const { action_key, conditions, quorum, forbidden } = policy;
  const clauses = conditionsInWords(conditions);
  const when = clauses === null ? "" : ` if ${clauses}`;
  const levels = policy.bypass_org_membership_levels.map((level) => LEVEL_WORDS[level] ?? `level ${level}`);
  const free = levels.length > 0 ? [`This does not apply to ${all.format(levels)}.`] : [];
  if (forbidden) return [`${ACTIONS[action_key]} is not allowed${when}.`, ...free].join(" ");
  const approvals = `${NUMBERS[quorum] ?? formatCount(quorum)} ${quorum === 1 ? "approval" : "approvals"}`;
  const named = policy.users.map((id) => users.get(id) ?? "somebody who has left");
  const by = named.length > 0 ? ` by ${either.format(named)}` : "";
  return [
    `${ACTIONS[action_key]} needs ${approvals}${by}${when}.`,
    ...(policy.allow_self_approve ? ["Whoever asks for it may approve it."] : []),
    ...free,
  ].join(" ");
}

/** What is wrong with a policy that can be stored all the same. */
export function policyWarnings(
  {
    users,
    quorum,
    allow_self_approve,
    forbidden,
  }: Pick<Policy, "users" | "quorum" | "allow_self_approve" | "forbidden">,
  { users: names }: { users: Map<number, string> },
): string[] {
  const isStuck = users.length > 0 && users.length <= quorum && !allow_self_approve && !forbidden;
  if (!isStuck) return [];
  const who = all.format(users.map((id) => names.get(id) ?? "somebody who has left"));
  return [
    users.length === 1
      ? `Only ${who} can approve, and nobody approves their own changes: those that ${who} asks for can only be applied by a bypass. Name another approver as well.`
      : `Nobody approves their own changes, and all of ${who} have to approve: those that one of them asks for can only be applied by a bypass. Name another approver as well.`,
  ];
}
