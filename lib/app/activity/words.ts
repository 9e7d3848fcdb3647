import type { Route } from "next";
import { SCHEDULE_VERBS } from "#lib/flags/scheduled_changes/verbs.ts";

type Kind = { label: string; noun: string; href?: (projectId: string, id: string | null) => string };

const below = (projectId: string, path: string) => `/project/${projectId}/${path}`;

const KINDS: Record<string, Kind> = {
  FeatureFlag: {
    label: "Feature flags",
    noun: "the flag",
    href: (project, id) => below(project, `feature_flags/${id}`),
  },
  Cohort: { label: "Cohorts", noun: "the cohort", href: (project, id) => below(project, `cohorts/${id}`) },
  PersonalAPIKey: {
    label: "API keys",
    noun: "the API key",
    href: (project) => below(project, "settings/api_keys"),
  },
  Project: { label: "Project", noun: "the project", href: (project) => below(project, "settings/project") },
  OrganizationMembership: {
    label: "Members",
    noun: "the member",
    href: (project) => below(project, "settings/project#members"),
  },
  EnvironmentGroup: {
    label: "Environments",
    noun: "the environments",
    href: (project) => below(project, "settings/project#environments"),
  },
  Survey: { label: "Surveys", noun: "the survey", href: (project, id) => below(project, `surveys/${id}`) },
  Experiment: {
    label: "Experiments",
    noun: "the experiment",
    href: (project, id) => below(project, `experiments/${id}`),
  },
  ExperimentHoldout: {
    label: "Holdouts",
    noun: "the holdout",
    href: (project) => below(project, "experiments/holdouts"),
  },
  ExperimentSavedMetric: {
    label: "Saved metrics",
    noun: "the saved metric",
    href: (project) => below(project, "experiments/saved_metrics"),
  },
  ChangeRequest: {
    label: "Change requests",
    noun: "the change request",
    href: (project, id) => below(project, `change_requests/${id}`),
  },
  ApprovalPolicy: {
    label: "Approval policies",
    noun: "the policy",
    href: (project) => below(project, "settings/approvals"),
  },
  NotificationDestination: {
    label: "Notification destinations",
    noun: "the notification destination",
    href: (project) => below(project, "settings/notifications"),
  },
  Dashboard: { label: "Dashboards", noun: "the dashboard" },
};

const spaced = (text: string) => text.replaceAll("_", " ").replace(/(?<=[a-z])(?=[A-Z])/g, " ");

export const kindLabel = (scope: string): string => KINDS[scope]?.label ?? spaced(scope);
export const kindNoun = (scope: string): string => KINDS[scope]?.noun ?? `the ${spaced(scope).toLowerCase()}`;

/** The page of a record; null for kinds without one. */
export const recordHref = (projectId: string, scope: string, id: string | null): Route | null =>
  (KINDS[scope]?.href?.(projectId, id) ?? null) as Route | null;

const VERBS: Record<string, string> = {
  created: "created",
  updated: "changed",
  deleted: "deleted",
  restored: "restored",
  rolled: "replaced the value of",
  persons_added_manually: "added people to",
  person_removed_manually: "removed a person from",
  recalculated: "recomputed a metric of",
  sealed: "recorded a report of",
  applied: "applied",
  approved: "approved",
  bypassed: "applied without approval",
  cancelled: "cancelled",
  changes_requested: "asked for changes to",
  commented: "commented on",
  lapsed: "found lapsed",
  rejected: "rejected",
  ...SCHEDULE_VERBS,
};

/** What was done, before the name of the record: "changed", "added people to". */
export const verbOf = (activity: string, scope: string): string => {
  if (scope === "OrganizationMembership" && activity === "created") return "added";
  if (scope === "PersonalAPIKey" && activity === "deleted") return "revoked";
  return VERBS[activity] ?? spaced(activity);
};

/** The same as an entry of a filter: "Changed". */
export const activityLabel = (activity: string): string => {
  const verb = VERBS[activity]?.replace(/ (of|to|from)$/, "") ?? spaced(activity);
  return verb.charAt(0).toUpperCase() + verb.slice(1);
};
