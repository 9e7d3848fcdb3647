/** A part of lib/: what it is for, its folders, and the tables that it alone writes. */
export type Module = {
  name: string;
  purpose: string;
  /** Its folders, with what each is for; where it has none, its files lie in it. */
  folders: Readonly<Record<string, string>>;
  /** Modules above it in the list that it still may not import. */
  except?: readonly string[];
  tables: readonly string[];
};

/**
 * The modules of lib/. A module may import those before it in this list, and no others. The lint rules, the check of
 * imports and tables, and docs/architecture.md all come from here.
 */
export const MODULES: readonly Module[] = [
  {
    name: "engines",
    purpose: "Pure computations: no I/O, no clock, no randomness of their own.",
    folders: {
      evaluation: "Which value a flag has for somebody, and why.",
      statistics: "Estimates, intervals, tests, planning and simulation.",
      branching: "The order of a survey's questions, and proof that every path ends.",
    },
    tables: [],
  },
  {
    name: "platform",
    purpose: "What every module builds on: HTTP, the database, jobs, settings, formats.",
    folders: {
      http: "Contracts, credentials, bodies, errors, paging, the OpenAPI document.",
      db: "Connections, tables, migrations, notifications, the embedded server.",
      jobs: "Work that runs later or on a schedule, once over all processes.",
    },
    tables: ["jobs"],
  },
  {
    name: "activity",
    purpose: "The activity log: who changed what, and when.",
    folders: {},
    tables: ["activity_log", "activity_outbox"],
  },
  {
    name: "audit",
    purpose: "The audit log: a chain in which no entry can be changed unnoticed.",
    folders: {},
    tables: ["audit_checkpoints", "audit_entries", "audit_notes", "audit_received", "audit_states"],
  },
  {
    name: "identity",
    purpose: "Who may do what: people who sign in, organizations, projects and keys.",
    folders: {
      accounts: "The directory that every request asks, held in memory.",
      users: "People who sign in.",
      organizations: "Organizations and their members.",
      projects: "Projects, their settings and tokens.",
      environments: "Projects that are environments of one another.",
      personal_api_keys: "Keys, and what they may do.",
      sessions: "Who is signed in to the dashboard.",
    },
    tables: [
      "dashboard_sessions",
      "environments",
      "group_types",
      "organization_memberships",
      "organizations",
      "personal_api_keys",
      "projects",
      "users",
    ],
  },
  {
    name: "people",
    purpose: "What customers' applications report: events, persons, groups, and cohorts of them.",
    folders: {
      conditions: "Conditions on people: their schema, and how they read in words.",
      events: "Receiving and storing events; rollups are checked against them.",
      retention: "For how long events are kept, and deleting them.",
      event_deletions: "Deleted events, noted for the copy in ClickHouse.",
      persons: "Persons, their distinct ids and merges.",
      groups: "Groups, such as companies.",
      cohorts: "Cohorts and their members.",
      erasures: "Erasing and exporting everything about a person.",
      property_definitions: "Properties and values that were seen.",
    },
    tables: [
      "cohort_people",
      "cohorts",
      "erasures",
      "event_definitions",
      "event_history",
      "event_history_deletions",
      "event_history_kept",
      "event_history_positions",
      "event_horizons",
      "event_uuids",
      "events",
      "feature_flag_hash_key_overrides",
      "groups",
      "person_distinct_ids",
      "person_merges",
      "persons",
      "property_definitions",
      "property_values",
    ],
  },
  {
    name: "flags",
    purpose: "Feature flags: editing them, evaluating them, serving SDKs.",
    folders: {
      feature_flags: "The resource, its history, its evaluation and who a change affects.",
      sdk: "The paths that SDKs and OpenFeature call.",
      streams: "Open connections that hear of changes.",
      sdk_instances: "Which definitions each instance of an SDK has, and receipts of changes.",
      dashboards: "Usage dashboards of flags.",
      saved_views: "Views of the list of flags, saved under a name.",
      scheduled_changes: "Changes of flags at a moment, once or recurring.",
      environments: "Flags with the same key in several projects: comparing them, carrying changes over.",
      copies: "Copying a flag, with its scheduled changes, to other projects of an organization.",
    },
    tables: [
      "dashboards",
      "definition_versions",
      "encryption_checks",
      "feature_flag_calls_daily",
      "feature_flag_test_cases",
      "feature_flags",
      "saved_views",
      "scheduled_changes",
      "sdk_callers",
      "sdk_instances",
      "sdk_relays",
    ],
  },
  {
    name: "surveys",
    purpose: "Surveys, the pages that show them, and their results.",
    folders: {
      surveys: "The resource, its schedule, and the flags that target it.",
      hosted: "Pages on which people answer without any SDK.",
      results: "Storing, counting, reading, summarizing and exporting answers.",
    },
    tables: [
      "survey_archived_responses",
      "survey_counts",
      "survey_durations",
      "survey_moments",
      "survey_people_members",
      "survey_person_days",
      "survey_responses",
      "surveys",
    ],
  },
  {
    name: "experiments",
    purpose: "Experiments, their results and reports.",
    folders: {
      metric_kinds: "What each kind of metric is: its fields, how it is counted and summed.",
      experiments: "The resource, its metrics, holdouts and lifecycle.",
      results: "From events to figures: plan, events, units, days, answer.",
      report: "A report in one file that recomputes its own figures.",
    },
    except: ["surveys"],
    tables: [
      "experiment_days",
      "experiment_holdouts",
      "experiment_looks",
      "experiment_metric_links",
      "experiment_phases",
      "experiment_progress",
      "experiment_saved_metrics",
      "experiment_series",
      "experiment_states",
      "experiment_totals",
      "experiment_unit_days",
      "experiment_units",
      "experiments",
    ],
  },
  {
    name: "ramps",
    purpose:
      "Rolling a flag out in steps, each compared with those whom it has not reached, and rolling it back.",
    folders: {},
    except: ["surveys"],
    tables: ["ramp_people", "ramp_runs", "ramps"],
  },
  {
    name: "approvals",
    purpose: "Which changes need the approval of others.",
    folders: {
      approval_policies: "Policies of a project: what a change needs, by what it would do.",
      gate: "What every write passes: what it would do, and whether policies let it.",
      change_requests: "Changes that are proposed or held, their votes, and applying them.",
    },
    tables: ["approval_policies", "approved_states", "change_request_reviews", "change_requests"],
  },
  {
    name: "notifications",
    purpose: "Telling people and other systems what has happened, and what needs them.",
    folders: {
      messages: "What is sent: types and payloads.",
      deliveries: "Sending messages, again where that fails, and what became of them.",
      destinations: "Where notifications of a project go, and what each gets.",
      subscriptions: "What single people want to hear about.",
      inbox: "What needs somebody's attention in a project.",
      fan_out: "From the activity log and the inbox to messages for everybody who gets them.",
    },
    tables: [
      "inbox_announcements",
      "inbox_dismissals",
      "notification_deliveries",
      "notification_destinations",
      "notification_messages",
      "notification_subscriptions",
    ],
  },
  {
    name: "app",
    purpose: "Puts everything together: the API, the process, the dashboard's session.",
    folders: {
      server: "Starting, stopping, building, backup and restore.",
      upgrade: "Rehearsing an upgrade on a copy, and the way back.",
      session: "How pages call the API for whoever is signed in.",
      activity: "How entries of the activity log read in words.",
      api_reference: "The pages of the API reference.",
      openapi: "The OpenAPI document of everything that is mounted.",
      demo: "A project with demo data.",
      instance_status: "What runs here, for administrators.",
      relay: "Serving SDKs near applications, without a database.",
    },
    tables: ["backups", "demo_loads"],
  },
];

/** A folder of components/. */
export type ComponentFolder = { name: string; purpose: string; isShared?: boolean };

/**
 * The folders of components/. Every folder may import the shared ones before it in this list, and no others: what
 * several resources need belongs into a shared folder.
 */
export const COMPONENTS: readonly ComponentFolder[] = [
  { name: "ui", purpose: "Primitives: buttons, fields, dialogs, tables.", isShared: true },
  { name: "charts", purpose: "Charts, each with a table of its figures.", isShared: true },
  {
    name: "kit",
    purpose: "What pages of every resource need: permissions, results of actions, lists, editors, reads.",
    isShared: true,
  },
  {
    name: "conditions",
    purpose:
      "Conditions on people and events: editing them, reading them in words, and who a change affects.",
    isShared: true,
  },
  {
    name: "metrics",
    purpose: "Metrics: building them from events, and how they read in words.",
    isShared: true,
  },
  { name: "frame", purpose: "What surrounds every page: navigation, search, the account.", isShared: true },
  { name: "activity", purpose: "The activity log." },
  { name: "api_reference", purpose: "Endpoints, and trying them out." },
  { name: "approval_policies", purpose: "Which changes need whose approval." },
  {
    name: "change_requests",
    purpose: "Changes that are waiting for approval, and what happened to earlier ones.",
  },
  { name: "cohorts", purpose: "Cohorts: their list, form and members." },
  { name: "demo", purpose: "Loading the demo project." },
  { name: "experiments", purpose: "Experiments: their list, editor and results." },
  { name: "feature_flags", purpose: "Feature flags: their list, form, tester and history." },
  { name: "sdk_instances", purpose: "Running SDKs, and whether changes have reached them." },
  { name: "instance_status", purpose: "What runs here, for administrators." },
  { name: "notifications", purpose: "The inbox, subscriptions, and destinations of notifications." },
  { name: "personal_api_keys", purpose: "API keys." },
  { name: "persons", purpose: "People, their events and flags." },
  { name: "projects", purpose: "Settings of a project, and its members." },
  { name: "surveys", purpose: "Surveys: their list, builder, preview and results." },
];

/** Names of the folders of components/ that a folder may import besides itself. */
export function componentsFor(name: string): string[] {
  const place = COMPONENTS.findIndex((folder) => folder.name === name);
  return COMPONENTS.slice(0, place).flatMap((folder) => (folder.isShared ? [folder.name] : []));
}

/** Names of the modules that a module may not import. */
export function forbiddenTo(name: string): string[] {
  const place = MODULES.findIndex((module) => module.name === name);
  return MODULES.filter(
    (module, i) => i > place || (MODULES[place]?.except?.includes(module.name) ?? false),
  ).map((module) => module.name);
}
