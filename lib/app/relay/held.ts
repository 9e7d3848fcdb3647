import { createHash } from "node:crypto";
import { Map as SharingMap } from "immutable";
import type { Flag, FlagCache, ProjectFlags } from "#lib/flags/feature_flags/cache.ts";
import { createDefinitions } from "#lib/flags/feature_flags/evaluation/definitions.ts";
import { secureValueOf } from "#lib/identity/accounts/directory.ts";
import type { CohortCache, ProjectCohorts } from "#lib/people/cohorts/cache.ts";
import { DatabaseUnavailable } from "#lib/platform/db/errors.ts";
import type { Accounts, Directory, KeyRow, ProjectRow, UserRow } from "#lib/platform/http/directory.ts";
import { createProjectCache } from "#lib/platform/project-cache.ts";
import type { FeedRuntime, FeedSurvey } from "#lib/surveys/context.ts";
import type { RelayBundle } from "./contract.ts";

const digestOf = (text: string) => createHash("sha256").update(text).digest("base64url");

type Project = RelayBundle["projects"][number];
type Key = RelayBundle["keys"][number];

/** What a bundle does not say, because serving SDKs does not depend on it. */
const UNTOLD = { created_by_id: null, created_at: new Date(0), updated_at: new Date(0) } as const;

const dateOf = (text: unknown) => (typeof text === "string" ? new Date(text) : null);

const flagOf = (project_id: number, flag: Project["flags"][number]): Flag => ({
  ...UNTOLD,
  last_modified_by_id: null,
  rollback_conditions: null,
  performed_rollback: null,
  tags: [],
  analytics_dashboards: [],
  usage_dashboard_id: null,
  has_enriched_analytics: null,
  creation_context: "feature_flags",
  last_called_at: null,
  surveys: [],
  unreadable_fields: [],
  ...flag,
  updated_at: dateOf(flag.updated_at) ?? UNTOLD.updated_at,
  pins: (flag.pins ?? []).map((pin) => ({ ...pin, id: "", reason: "", created_by_id: null, created_at: "" })),
  project_id,
});

const cohortOf = (project_id: number, cohort: Project["cohorts"][number]) => ({
  ...UNTOLD,
  name: "",
  description: "",
  deleted: false,
  count: null,
  is_calculating: false,
  errors_calculating: 0,
  last_calculation: null,
  ...cohort,
  project_id,
});

/** As it is in memory at the origin: JSON has texts for dates. */
const surveyOf = (survey: Record<string, unknown>) =>
  ({
    ...survey,
    start_date: dateOf(survey.start_date),
    end_date: dateOf(survey.end_date),
    current_iteration_start_date: dateOf(survey.current_iteration_start_date),
  }) as FeedSurvey;

const projectRowOf = ({ id, organization_id, api_token }: Project): ProjectRow => ({
  id,
  organization_id,
  api_token,
  uuid: "",
  name: "",
  secret_api_token: "",
  timezone: "UTC",
  is_demo: false,
  test_account_filters: [],
  event_retention: null,
  ingested_event: true,
  created_at: new Date(0),
});

/** Whose key it is does not matter: what it opens is said of the key itself. */
const OWNER: UserRow = {
  id: 0,
  uuid: "",
  distinct_id: "",
  first_name: "",
  last_name: "",
  email: "",
  is_email_verified: false,
  hedgehog_config: null,
  role_at_organization: null,
  is_active: true,
  created_at: new Date(0),
};
const MEMBER_LEVEL = 1;

const keyRowOf = ({ digest, reads_flags, projects, expires_at }: Key): KeyRow => ({
  id: digest,
  user_id: OWNER.id,
  label: "",
  secure_value: digest,
  mask_value: "",
  scopes: reads_flags ? ["feature_flag:read"] : [],
  scoped_teams: projects,
  scoped_organizations: [],
  created_at: new Date(0),
  last_used_at: null,
  last_rolled_at: null,
  expires_at: dateOf(expires_at),
});

type Served = {
  accounts: Accounts;
  projects: ReadonlyMap<number, Project>;
  keys: ReadonlyMap<string, { row: KeyRow; current: number }>;
};

function heldOf({ projects, keys }: Pick<RelayBundle, "projects" | "keys">): Served {
  const rows = new Map(projects.map((project) => [project.id, projectRowOf(project)]));
  const row = ({ id }: Project) => rows.get(id) as ProjectRow;
  const bySecret = new Map(projects.map((project) => [project.secret_digest, row(project)]));
  return {
    accounts: {
      organizations: new Map(),
      projects: rows,
      users: new Map([[OWNER.id, OWNER]]),
      levels: new Map(),
      byToken: new Map(projects.map((project) => [project.api_token, row(project)])),
      bySecret: { get: (secret) => bySecret.get(secureValueOf(secret)) },
    },
    projects: new Map(projects.map((project) => [project.id, project])),
    keys: new Map(keys.map((key) => [key.digest, { row: keyRowOf(key), current: key.current }])),
  };
}

/** What a process holds that has a bundle instead of a database, in the form in which the origin holds it. */
export function createHeld() {
  let held = heldOf({ projects: [], keys: [] });
  let digests = new Map<number, string>();
  const watchers = new Set<() => void>();

  const partOf = (projectId: number): Project => {
    const project = held.projects.get(projectId);
    if (!project) throw new DatabaseUnavailable("The relay no longer serves this project.");
    return project;
  };
  const flags: FlagCache = createProjectCache<ProjectFlags>("flags", async (projectId, revision) => {
    const all = partOf(projectId).flags.map((flag) => flagOf(projectId, flag));
    return {
      revision,
      byId: SharingMap(all.map((flag) => [flag.id, flag])),
      live: all.filter((flag) => !flag.deleted),
    };
  });
  const cohorts: CohortCache = createProjectCache<ProjectCohorts>("cohorts", async (projectId, revision) => ({
    revision,
    byId: new Map(partOf(projectId).cohorts.map((cohort) => [cohort.id, cohortOf(projectId, cohort)])),
  }));
  const surveys = createProjectCache<readonly FeedSurvey[]>("surveys", async (projectId) =>
    partOf(projectId).surveys.map(surveyOf),
  );
  const definitions = createDefinitions({
    flags,
    cohorts,
    readGroupTypes: async (projectId) => partOf(projectId).group_types,
  });

  const directory: Directory = {
    current: async () => held.accounts,
    async authenticate(value, now) {
      const key = held.keys.get(secureValueOf(value))?.row;
      if (!key || (key.expires_at && key.expires_at <= now)) return null;
      return { user: OWNER, key };
    },
    level: async () => MEMBER_LEVEL,
    async projectsOf(_user, key) {
      const current = held.keys.get(key.secure_value)?.current;
      const project = current === undefined ? undefined : held.accounts.projects.get(current);
      return project ? [project] : [];
    },
    // Accounts change with the bundle, and nothing here changes them.
    drop: () => undefined,
    doubt: () => undefined,
    watch: (seen) => void watchers.add(seen),
    remembered: () => ({ accounts: null, keys: new Map() }),
    recall: () => undefined,
  };

  return {
    flags,
    cohorts,
    definitions,
    directory,
    surveys: surveys satisfies FeedRuntime["surveys"],
    /** The token of a project; undefined if it is not served. */
    tokenOf: (projectId: number): string | undefined => held.accounts.projects.get(projectId)?.api_token,
    /** The ids of the projects that are served. */
    get projectIds() {
      return [...held.projects.keys()];
    },
    /** Serves a bundle from now on. */
    replace(bundle: Pick<RelayBundle, "projects" | "keys">): void {
      held = heldOf(bundle);
      const before = digests;
      digests = new Map(bundle.projects.map((project) => [project.id, digestOf(JSON.stringify(project))]));
      for (const [id, digest] of digests) {
        if (before.get(id) === digest) continue;
        flags.changed(id);
        cohorts.changed(id);
        surveys.changed(id);
        definitions.changed(id);
      }
      for (const seen of watchers) seen();
    },
  };
}

export type Held = ReturnType<typeof createHeld>;
