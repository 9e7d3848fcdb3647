import type { ActivityChange, ActivityEntry } from "#lib/activity/schema.ts";
import { type Difference, listFlagDifferences } from "#lib/flags/feature_flags/history/differences.ts";
import { scopeSummary } from "#lib/identity/personal_api_keys/scope-words.ts";
import { cohortTokens } from "#lib/people/cohorts/words.ts";
import { type Names, plain } from "#lib/people/conditions/words.ts";

const LONGEST = 160;
const LEVELS: Record<string, string> = { 1: "member", 8: "administrator", 15: "owner" };

type Show = (value: unknown, names: Names) => string | null;
type Field = { what: string; show?: Show };

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

const scopes: Show = (value) =>
  Array.isArray(value)
    ? scopeSummary(value.map(String))
        .map(({ action, objects }) => `${action.toLowerCase()} ${objects.join(", ")}`)
        .join("; ") || null
    : anything(value);

const definition: Show = (value, names) =>
  typeof value === "object" && value !== null
    ? plain(cohortTokens(value as Record<string, unknown>, names)) || null
    : anything(value);

const metricNames: Show = (value) =>
  Array.isArray(value)
    ? value.map((metric) => metric?.name || `a ${metric?.metric_type ?? "shared"} metric`).join(", ") || null
    : anything(value);

const savedMetrics: Show = (value) =>
  Array.isArray(value) && value.length > 0
    ? `${value.length} ${value.length === 1 ? "saved metric" : "saved metrics"}`
    : null;

const FIELDS: Record<string, Record<string, Field>> = {
  Cohort: {
    filters: { what: "Definition", show: definition },
    count: { what: "Members" },
    deleted: { what: "Deleted" },
  },
  Experiment: {
    description: { what: "Hypothesis" },
    start_date: { what: "Launched" },
    end_date: { what: "Stopped" },
    metrics: { what: "Primary metrics", show: metricNames },
    metrics_secondary: { what: "Secondary metrics", show: metricNames },
    saved_metrics: { what: "Saved metrics", show: savedMetrics },
    exposure_cohort: { what: "Cohort of exposed people" },
    stats_config: { what: "Statistics" },
  },
  PersonalAPIKey: {
    scopes: { what: "Permissions", show: scopes },
    scoped_teams: { what: "Projects", show: (value) => anything(value) ?? "all" },
    scoped_organizations: { what: "Organizations", show: (value) => anything(value) ?? "all" },
    expires_at: { what: "Expires", show: (value) => anything(value) ?? "never" },
  },
  Project: {
    timezone: { what: "Time zone" },
    api_token: { what: "Project token", show: () => null },
    secret_api_token: { what: "Secret key", show: () => null },
  },
  OrganizationMembership: {
    level: { what: "Level", show: (value) => LEVELS[String(value)] ?? anything(value) },
    is_active: { what: "State", show: (value) => (value === false ? "deactivated" : "active") },
  },
};

const titled = (field: string): string => {
  const words = field.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};

function differenceOf(scope: string, change: ActivityChange, names: Names): Difference {
  const field = FIELDS[scope]?.[change.field];
  const what = field?.what ?? titled(change.field);
  const show = field?.show ?? anything;
  const [before, after] = [show(change.before, names), show(change.after, names)];
  // For secrets, only that they changed is shown.
  if (before === null && after === null) return { what, before: null, after: "another one" };
  return { what, before, after };
}

/** Filters in the log may lack their sets, as they were stored. */
function comparable(changes: readonly ActivityChange[], which: "before" | "after") {
  const side: Record<string, unknown> = Object.fromEntries(
    changes.map((change) => [change.field, change[which] ?? undefined]),
  );
  const filters = side.filters as { groups?: unknown } | undefined;
  if (!filters) return { ...side, filters: undefined };
  return { ...side, filters: { ...filters, groups: Array.isArray(filters.groups) ? filters.groups : [] } };
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
    return listFlagDifferences(comparable(changes, "before"), comparable(changes, "after"), names);
  return changes.map((change) => differenceOf(entry.scope, change, names));
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
