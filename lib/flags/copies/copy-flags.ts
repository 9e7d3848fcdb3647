import { isObject } from "#lib/engines/json.ts";
import type * as flags from "#lib/flags/context.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import type { flagEnvironmentContract, PromoteBody } from "#lib/flags/environments/contract.ts";
import { readSide } from "#lib/flags/environments/linked.ts";
import { mapFiltersTo } from "#lib/flags/environments/map-references.ts";
import type { Part } from "#lib/flags/environments/parts-schema.ts";
import type { Flag } from "#lib/flags/feature_flags/cache.ts";
import { readViewer, recordOf } from "#lib/flags/feature_flags/record.ts";
import { Unresolved } from "#lib/flags/feature_flags/transfer/references.ts";
import { MODEL_NAME } from "#lib/flags/scheduled_changes/schema.ts";
import { type ScheduledRow, selectSchedules } from "#lib/flags/scheduled_changes/store.ts";
import { requireOrganization } from "#lib/identity/accounts/access.ts";
import { userOf } from "#lib/identity/accounts/schema.ts";
import { type FlagFilters, withGroups } from "#lib/people/conditions/filters-schema.ts";
import { covers } from "#lib/platform/http/auth.ts";
import type * as http from "#lib/platform/http/context.ts";
import type { Input, Reply } from "#lib/platform/http/contract.ts";
import type { ProjectRow } from "#lib/platform/http/directory.ts";
import { ApiError } from "#lib/platform/http/errors.ts";
import { instant, instantOrNull } from "#lib/platform/http/instant.ts";
import { DATABASE_INTEGER_MAX } from "#lib/platform/http/params.ts";

type Of<Name extends keyof typeof flagEnvironmentContract> = Input<(typeof flagEnvironmentContract)[Name]>;
type Copied = Reply<(typeof flagEnvironmentContract)["copy_flags"]>;

/** What copying needs besides: calls of the API in other projects. */
export type CopyingRuntime = {
  /**
   * Makes a call in a project of the caller's, as if the same key had sent it there.
   *
   * @returns what the call answers; a Response where a policy holds it
   * @throws ApiError as the call would be refused
   */
  callIn: (
    context: http.AccountContext<flags.Runtime>,
    project: ProjectRow,
    call: { operation: string; body: unknown },
  ) => Promise<unknown>;
};
type Context = http.AccountContext<flags.Runtime & CopyingRuntime>;

const TARGETS_MAX = 50;
const SCHEDULES_MAX = 1_000;

/** The parts that the public service copies. */
const COPIED: Part[] = ["state", "conditions", "variants", "payloads", "settings", "description"];

const problem = (error: string) => Response.json({ error }, { status: 400 });

/** The id that a client means; null for what cannot be one. */
function idOf(value: unknown): number | null {
  if (typeof value !== "number" && !(typeof value === "string" && /^\d{1,10}$/.test(value))) return null;
  const id = Number(value);
  return Number.isSafeInteger(id) && id > 0 && id <= DATABASE_INTEGER_MAX ? id : null;
}

/** The projects of an organization that a key opens. */
async function projectsIn({ runtime, user, key }: Context, organizationId: string) {
  const open = await runtime.directory.projectsOf(user, key);
  return new Map(
    open.filter((each) => each.organization_id === organizationId).map((each) => [each.id, each]),
  );
}

const inProject = (context: Context, project: ProjectRow): MemberContext => ({ ...context, project });

const liveFlag = async ({ runtime }: Context, project: ProjectRow, key: string): Promise<Flag | undefined> =>
  (await readSide({ runtime }, project.id)).byKey.get(key);

/** A payload of a schedule with the ids that what it refers to has in another project. @throws Unresolved */
async function mapPayload(
  context: Context,
  projects: { from: ProjectRow; to: ProjectRow },
  payload: ScheduledRow["payload"],
) {
  const value: unknown = payload.value;
  // A promotion is looked up again in the project that it is from.
  if (!isObject(value) || payload.operation === "promote") return payload;
  const isUpdate = payload.operation === "update";
  const filters = isUpdate ? value.filters : value;
  if (!isObject(filters)) return payload;
  const mapped = await mapFiltersTo(context, projects, filters);
  return { ...payload, value: isUpdate ? { ...value, filters: mapped } : mapped };
}

/** Copies what is still scheduled of a flag. @returns why not all of it was copied; undefined if it was */
async function copySchedules(
  context: Context,
  { from, source, to, id }: { from: ProjectRow; source: Flag; to: ProjectRow; id: number },
): Promise<string | undefined> {
  const { rows } = await selectSchedules(
    context.db,
    { project_id: from.id, flag_id: source.id },
    { limit: SCHEDULES_MAX, offset: 0 },
  );
  const problems = new Set<string>();
  for (const row of rows.filter(({ executed_at }) => executed_at === null)) {
    try {
      const reply = await context.runtime.callIn(context, to, {
        operation: "scheduled_changes.create",
        body: {
          record_id: String(id),
          model_name: MODEL_NAME,
          payload: await mapPayload(context, { from, to }, row.payload),
          scheduled_at: instant(row.scheduled_at),
          is_recurring: row.is_recurring,
          recurrence_interval: row.recurrence_interval,
          cron_expression: row.cron_expression,
          end_date: instantOrNull(row.end_date),
          guard: row.guard,
        },
      });
      if (reply instanceof Response) problems.add("A policy asks for approval of a schedule.");
    } catch (error) {
      problems.add(messageOf(error));
    }
  }
  return problems.size > 0
    ? `The flag was copied, but not all of its scheduled changes: ${[...problems].join(" ")}`
    : undefined;
}

/** What is said against a copy; anything else is a failure of the whole. */
function messageOf(error: unknown): string {
  if (error instanceof Unresolved) return error.message;
  if (error instanceof ApiError && error.status < 500) return error.message;
  throw error;
}

type Failed = Copied["failed"][number];

const failedWith = (project_id: unknown, message: string, more: Partial<Failed> = {}): Failed => ({
  project_id,
  error_message: message,
  errors: message,
  ...more,
});

type Copying = { from: ProjectRow; source: Flag; isOff: boolean; withSchedules: boolean };

async function copyTo(
  context: Context,
  to: ProjectRow,
  { from, source, isOff, withSchedules }: Copying,
): Promise<{ success: Copied["success"][number] } | { failed: Failed }> {
  const body: PromoteBody = {
    from_project: from.id,
    create_cohorts: covers(context.key, "cohort:write"),
    flags: [{ key: source.key, version: source.version, parts: COPIED, ...(isOff && { active: false }) }],
  };
  try {
    const reply = await context.runtime.callIn(context, to, { operation: "flag_environments.promote", body });
    if (reply instanceof Response) {
      const { message, change_request_id } = (await reply.json()) as Record<string, string>;
      return { failed: failedWith(to.id, message ?? "", { change_request_id }) };
    }
  } catch (error) {
    return { failed: failedWith(to.id, messageOf(error)) };
  }
  const flag = await liveFlag(context, to, source.key);
  if (!flag) return { failed: failedWith(to.id, "The flag was deleted while it was copied.") };
  const warning = withSchedules ? await copySchedules(context, { from, source, to, id: flag.id }) : undefined;
  return {
    success: {
      ...recordOf(flag, await readViewer(inProject(context, to))),
      team_id: to.id,
      ...(warning && { schedule_copy_warning: warning }),
    },
  };
}

export async function copy_flags(
  context: Context,
  { params, body }: Of<"copy_flags">,
): Promise<Copied | Response> {
  const organization = await requireOrganization(context, params.organization_id);
  const { feature_flag_key: key, from_project, target_project_ids: targets } = body;
  if (!key || !from_project || !Array.isArray(targets) || targets.length === 0)
    return problem("Missing required fields");
  if (targets.length > TARGETS_MAX)
    return problem(`A flag is copied to at most ${TARGETS_MAX} projects at once.`);
  const projects = await projectsIn(context, organization.id);
  const from = projects.get(idOf(from_project) ?? 0);
  const source = from && (await liveFlag(context, from, String(key)));
  if (!source) return problem("Feature flag to copy does not exist.");
  const copying = {
    from,
    source,
    isOff: body.disable_copied_flag === true,
    withSchedules: body.copy_schedule === true,
  };
  const copied: Copied = { success: [], failed: [] };
  for (const target of new Set<unknown>(targets)) {
    const to = projects.get(idOf(target) ?? 0);
    const outcome = to
      ? await copyTo(context, to, copying)
      : { failed: failedWith(target, "Project not found.") };
    if ("success" in outcome) copied.success.push(outcome.success);
    else copied.failed.push(outcome.failed);
  }
  return copied;
}

export async function across(
  context: Context,
  { params }: Of<"across">,
): Promise<Reply<(typeof flagEnvironmentContract)["across"]>> {
  const organization = await requireOrganization(context, params.organization_id);
  const projects = await projectsIn(context, organization.id);
  const accounts = await context.runtime.directory.current();
  const found = await Promise.all(
    [...projects.values()].map((project) => liveFlag(context, project, params.feature_flag_key)),
  );
  return found.flatMap((flag) => {
    if (!flag) return [];
    return {
      flag_id: flag.id,
      team_id: flag.project_id,
      created_by: userOf(accounts, flag.created_by_id),
      filters: withGroups(flag.filters) as FlagFilters,
      created_at: instant(flag.created_at),
      active: flag.active,
    };
  });
}
