import { changesBetween } from "#lib/activity/changes.ts";
import type { ActivityChange } from "#lib/activity/schema.ts";
import { record } from "#lib/activity/service.ts";
import { compileFilters, Unsupported } from "#lib/engines/evaluation/event-filters.ts";
import { requireOrganization } from "#lib/identity/accounts/access.ts";
import { ACCOUNTS_TOPIC } from "#lib/identity/accounts/directory.ts";
import { inTransaction } from "#lib/platform/db/connect.ts";
import { publish } from "#lib/platform/db/notify.ts";
import { covers, requireAdmin } from "#lib/platform/http/auth.ts";
import type { AccountContext, MemberContext } from "#lib/platform/http/context.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import type { KeyRow, ProjectRow } from "#lib/platform/http/directory.ts";
import { invalid, notFound } from "#lib/platform/http/errors.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import { randomCredential } from "./bootstrap.ts";
import type { projectContract } from "./contract.ts";
import type { ProjectDetail, ProjectRecord } from "./schema.ts";
import { insertProject, lockProject, selectProject, updateProject } from "./store.ts";

type Call<Name extends keyof typeof projectContract> = Input<(typeof projectContract)[Name]>;

export const projectRecordOf = (row: ProjectRow): ProjectRecord => ({
  id: row.id,
  uuid: row.uuid,
  organization: row.organization_id,
  api_token: row.api_token,
  name: row.name,
  timezone: row.timezone,
  is_demo: row.is_demo,
  ingested_event: row.ingested_event,
  access_control: false,
  created_at: instant(row.created_at),
});

const detailOf = (row: ProjectRow, key: KeyRow): ProjectDetail => ({
  ...projectRecordOf(row),
  test_account_filters: row.test_account_filters,
  event_retention: row.event_retention,
  ...(covers(key, "project:write") && { secret_api_token: row.secret_api_token }),
});

export async function list({ runtime, user, key, url }: AccountContext, { query }: Call<"list">) {
  const all = await runtime.directory.projectsOf(user, key);
  const page = all.slice(query.offset, query.offset + query.limit);
  return {
    count: all.length,
    ...neighbours(url, query, all.length),
    results: page.map(projectRecordOf),
  };
}

export async function create(context: AccountContext, { body }: Call<"create">): Promise<ProjectDetail> {
  const organization = await requireOrganization(context, body.organization ?? "@current");
  await requireAdmin(context, organization.id);
  const row = await inTransaction(context.db, async (tx) => {
    const made = await insertProject(tx, {
      organization_id: organization.id,
      name: body.name,
      timezone: body.timezone ?? "UTC",
      api_token: randomCredential("phc"),
      secret_api_token: randomCredential("phs"),
    });
    await note(tx, context, made, "created", []);
    return made;
  });
  context.runtime.directory.drop();
  return detailOf(row, context.key);
}

async function note(
  tx: Parameters<typeof record>[0],
  { user }: AccountContext | MemberContext,
  row: ProjectRow,
  activity: string,
  changes: ActivityChange[],
): Promise<void> {
  await record(tx, {
    project_id: row.id,
    user_id: user.id,
    scope: "Project",
    item_id: String(row.id),
    activity,
    name: row.name,
    changes,
  });
  await publish(tx, ACCOUNTS_TOPIC, { project_id: row.id });
}

export async function retrieve({ runtime, project, key }: MemberContext): Promise<ProjectDetail> {
  // Events set ingested_event without dropping the directory; the row itself is what counts here.
  const row = await selectProject(runtime.db, project.id);
  if (!row) throw notFound("Project not found.");
  return detailOf(row, key);
}

const TOLD = ["name", "timezone", "test_account_filters", "event_retention"] as const;
const CHANGEABLE = [...TOLD, "api_token", "secret_api_token"] as const;

async function change(
  context: MemberContext,
  changes: Partial<Pick<ProjectRow, (typeof CHANGEABLE)[number]>>,
  listChanges: (before: ProjectRow, after: ProjectRow) => ActivityChange[],
): Promise<ProjectDetail> {
  const after = await inTransaction(context.db, async (tx) => {
    const before = await lockProject(tx, context.project.id);
    if (!before) throw notFound("Project not found.");
    if (Object.keys(changes).length === 0) return before;
    const stored = await updateProject(tx, before.id, changes);
    const entries = listChanges(before, stored);
    if (entries.length > 0) await note(tx, context, stored, "updated", entries);
    return stored;
  });
  context.runtime.directory.drop();
  return detailOf(after, context.key);
}

/** Throws the API's error for conditions that cannot be evaluated on events. */
function checkTestAccounts(filters: Call<"partial_update">["body"]["test_account_filters"]): void {
  try {
    compileFilters(filters ?? []);
  } catch (error) {
    if (error instanceof Unsupported) throw invalid(error.message, "test_account_filters");
    throw error;
  }
}

export async function partial_update(context: MemberContext, { body }: Call<"partial_update">) {
  checkTestAccounts(body.test_account_filters);
  if (body.event_retention?.keep_in_clickhouse && !context.runtime.hasEventCopy)
    throw invalid(
      "Events can stay in ClickHouse only where the server copies them there, with CLICKHOUSE_URL.",
      "event_retention",
    );
  return change(context, body, (before, after) => changesBetween("Project", TOLD, before, after));
}

/** Logs token changes without their values. */
const replaced = (field: string) => (): ActivityChange[] => [
  { type: "Project", action: "changed", field, before: null, after: null },
];

export async function reset_token(context: MemberContext): Promise<ProjectDetail> {
  await requireAdmin(context, context.project.organization_id);
  return change(context, { api_token: randomCredential("phc") }, replaced("api_token"));
}

export async function rotate_secret_token(context: MemberContext): Promise<ProjectDetail> {
  await requireAdmin(context, context.project.organization_id);
  return change(context, { secret_api_token: randomCredential("phs") }, replaced("secret_api_token"));
}
