import type { ActivityChange, ActivityEntry } from "#lib/activity/schema.ts";
import { conditionsInWords } from "#lib/approvals/approval_policies/requirements.ts";
import { policyConditions, policyRecord } from "#lib/approvals/approval_policies/schema.ts";
import { isObject } from "#lib/engines/json.ts";
import { EXPERIMENT_FIELDS } from "#lib/experiments/experiments/schema.ts";
import { PINS_FIELD, SCHEDULES_FIELD } from "#lib/flags/feature_flags/history/changes.ts";
import {
  type Difference,
  listFiltersDifferences,
  listLoggedDifferences,
  sideOf,
} from "#lib/flags/feature_flags/history/differences.ts";
import { pinWords, readLoggedPin } from "#lib/flags/feature_flags/pins/pin-words.ts";
import { readLogged, scheduleWords } from "#lib/flags/scheduled_changes/words.ts";
import { scopeSummary } from "#lib/identity/personal_api_keys/scope-words.ts";
import { eventRetention } from "#lib/identity/projects/event-retention-schema.ts";
import { COHORT_FIELDS } from "#lib/people/cohorts/schema.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import type { Field } from "#lib/platform/fields-schema.ts";
import { plural } from "#lib/platform/format.ts";
import { memberDifferences, questionDifferences } from "#lib/surveys/surveys/questions/differences.ts";
import { SURVEY_FIELDS } from "#lib/surveys/surveys/schema.ts";

const LONGEST = 160;
const LEVELS: Record<string, string> = { 1: "member", 8: "administrator", 15: "owner" };

/** How a value reads; as it is where undefined. */
type Words = (value: unknown, names: Names) => string | null | undefined;
type WordedField = Omit<Field, "words"> & { words?: Words };

const shortened = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);

const INSTANT = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(:\d{2}(\.\d+)?)?Z$/;

function anything(value: unknown): string | null {
  if (value === null || value === undefined || value === "") return null;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value) && value.every((each) => typeof each !== "object"))
    return value.length > 0 ? shortened(value.join(", ")) : null;
  if (typeof value === "object") return shortened(JSON.stringify(value));
  return shortened(String(value).replace(INSTANT, "$1 $2 UTC"));
}

const scopes: Words = (value) =>
  Array.isArray(value)
    ? scopeSummary(value.map(String))
        .map(({ action, objects }) => `${action.toLowerCase()} ${objects.join(", ")}`)
        .join("; ") || null
    : undefined;

const daysKept = (days: number | null) => (days === null ? "forever" : plural(days, "day"));

/** For how long events are kept: "40 days; purchase 30 days". */
function retentionWords(value: unknown): string {
  const { data } = eventRetention.nullable().safeParse(value);
  if (!data) return daysKept(null);
  const byEvent = Object.entries(data.by_event).map(([event, days]) => `${event} ${daysKept(days)}`);
  const older = data.keep_in_clickhouse ? ["older ones stay in ClickHouse"] : [];
  return [daysKept(data.days), ...byEvent, ...older].join("; ");
}

/** When a policy is in force; an earlier release may have written what this one cannot read. */
function policyConditionWords(value: unknown): string | undefined {
  const { data } = policyConditions.safeParse(value);
  return data && (conditionsInWords(data) ?? "always");
}

function approverWords(value: unknown): string | undefined {
  const { data } = policyRecord.shape.approver_config.safeParse(value);
  if (!data) return undefined;
  const by = data.users.length > 0 ? plural(data.users.length, "named person", "named people") : "any member";
  return `${plural(data.quorum, "approval")} by ${by}`;
}

/** The fields of each kind of record. Of flags, targeting is compared too: see listFlagDifferences. */
const FIELDS: Record<string, Readonly<Record<string, WordedField>>> = {
  Cohort: COHORT_FIELDS,
  Experiment: EXPERIMENT_FIELDS,
  Survey: SURVEY_FIELDS,
  PersonalAPIKey: {
    scopes: { label: "Permissions", words: scopes },
    scoped_teams: { label: "Projects", words: (value) => anything(value) ?? "all" },
    scoped_organizations: { label: "Organizations", words: (value) => anything(value) ?? "all" },
    expires_at: { label: "Expires", words: (value) => anything(value) ?? "never" },
  },
  Project: {
    timezone: { label: "Time zone" },
    event_retention: { label: "Retention of events", words: retentionWords },
    api_token: { label: "Project token", words: () => null },
    secret_api_token: { label: "Secret key", words: () => null },
  },
  ApprovalPolicy: {
    action_key: { label: "Action" },
    conditions: { label: "In force if", words: policyConditionWords },
    approver_config: { label: "Approvers", words: approverWords },
    forbidden: { label: "Not allowed" },
    allow_self_approve: { label: "Whoever asks may approve" },
    bypass_org_membership_levels: { label: "Does not apply to levels" },
    expires_after: { label: "Requests wait for" },
  },
  OrganizationMembership: {
    level: { label: "Level", words: (value) => LEVELS[String(value)] ?? anything(value) },
    is_active: { label: "State", words: (value) => (value === false ? "deactivated" : "active") },
  },
};

const titled = (field: string): string => {
  const words = field.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};

function differenceOf(scope: string, change: ActivityChange, names: Names): Difference {
  const field = FIELDS[scope]?.[change.field];
  const what = field?.label ?? titled(change.field);
  const read = (value: unknown) => {
    const words = field?.words?.(value, names);
    return words === undefined ? anything(value) : words;
  };
  const [before, after] = [read(change.before), read(change.after)];
  // For secrets, only that they changed is shown.
  if (before === null && after === null) return { what, before: null, after: "another one" };
  return { what, before, after };
}

const TOLD_OF_NOTHING = new Set(["version"]);

/**
 * What an entry of the activity log changed, in words.
 *
 * @param names what the cohorts and flags are called that filters refer to
 */
export function entryDifferences(entry: ActivityEntry, names: Names = {}): Difference[] {
  const changes = entry.detail.changes.filter((change) => !TOLD_OF_NOTHING.has(change.field));
  if (entry.scope === "FeatureFlag")
    return [
      ...listLoggedDifferences(changes, names),
      ...changes.flatMap(scheduleDifferences),
      ...changes.flatMap(pinDifferences),
    ];
  return changes.flatMap((change) =>
    entry.scope === "Survey" ? surveyDifferences(change, names) : [differenceOf(entry.scope, change, names)],
  );
}

/** What was done to a scheduled change of a flag. */
function scheduleDifferences({ field, before, after }: ActivityChange): Difference[] {
  if (field !== SCHEDULES_FIELD) return [];
  const [was, is] = [before, after].map((each) => {
    const schedule = readLogged(each);
    return schedule && scheduleWords(schedule);
  });
  return [{ what: "Schedule", before: was ?? null, after: is ?? null }];
}

/** Whom a value of a flag was pinned for, or no longer is. */
function pinDifferences({ field, before, after }: ActivityChange): Difference[] {
  if (field !== PINS_FIELD) return [];
  const [was, is] = [before, after].map((each) => {
    const pin = readLoggedPin(each);
    return pin && pinWords(pin);
  });
  return [{ what: "Pinned for one person", before: was ?? null, after: is ?? null }];
}

/** The person whose pin an entry is about; null for other entries. */
export function pinnedPersonHref(projectId: string, { detail }: ActivityEntry): string | null {
  const change = detail.changes.find(({ field }) => field === PINS_FIELD);
  const person = (readLoggedPin(change?.after) ?? readLoggedPin(change?.before))?.person_id;
  return person ? `/project/${projectId}/persons/${person}?tab=flags` : null;
}

/** The history, upcoming and past, with the scheduled change that an entry made or changed; null for other entries. */
export function scheduleHref(projectId: string, { item_id, detail }: ActivityEntry): string | null {
  const made = detail.changes.find(({ field }) => field === SCHEDULES_FIELD);
  const schedule = readLogged(made?.after);
  if (!schedule) return null;
  const { id } = schedule;
  return `/project/${projectId}/feature_flags/${item_id}/history?schedule=${id}#schedule-${id}`;
}

/** Questions, conditions, appearance and audience are compared part by part. */
function surveyDifferences(change: ActivityChange, names: Names): Difference[] {
  const { field, before, after } = change;
  if (field === "questions") return questionDifferences(before, after);
  if (field === "conditions" || field === "appearance") {
    const title = titled(field).replace(/s$/, "");
    return memberDifferences(title, isObject(before) ? before : null, isObject(after) ? after : null);
  }
  if (field !== "targeting_flag_filters") return [differenceOf("Survey", change, names)];
  const { filters: old } = sideOf([{ ...change, field: "filters" }], "before");
  const { filters: next } = sideOf([{ ...change, field: "filters" }], "after");
  const none = { groups: [] };
  return listFiltersDifferences(old ?? none, next ?? none, names).map((each) => ({
    ...each,
    what: `Audience: ${each.what}`,
  }));
}

/** Ids of the flags and cohorts that the changes of some entries refer to. */
export function referencesIn(entries: readonly ActivityEntry[]): { flags: string[]; cohorts: boolean } {
  const flags = new Set<string>();
  let cohorts = false;
  const walk = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(walk);
    else if (typeof node === "object" && node !== null) {
      const row = node as Record<string, unknown>;
      if (row.type === "flag" && typeof row.key === "string") flags.add(row.key);
      if (row.type === "cohort") cohorts = true;
      Object.values(row).forEach(walk);
    }
  };
  for (const entry of entries)
    for (const change of entry.detail.changes)
      if (change.field === "filters") walk([change.before, change.after]);
  return { flags: [...flags], cohorts };
}
