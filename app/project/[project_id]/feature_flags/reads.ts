import type { Access } from "#components/kit/access.tsx";
import { requireWho } from "#lib/app/session/who.ts";
import { flagEnvironmentContract } from "#lib/flags/environments/contract.ts";
import { flagContract } from "#lib/flags/feature_flags/contract.ts";
import { PINS_MAX, pinsContract } from "#lib/flags/feature_flags/pins/pins-contract.ts";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import { usageContract } from "#lib/flags/feature_flags/usage/usage-contract.ts";
import { SAVED_VIEWS_MAX, savedViewContract } from "#lib/flags/saved_views/contract.ts";
import { scheduledChangeContract } from "#lib/flags/scheduled_changes/contract.ts";
import { receiptContract } from "#lib/flags/sdk_instances/contract.ts";
import { projectContract } from "#lib/identity/projects/contract.ts";
import { cohortContract } from "#lib/people/cohorts/contract.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import { groupContract } from "#lib/people/groups/contract.ts";
import type { Client } from "#lib/platform/http/client.ts";
import { ApiError } from "#lib/platform/http/errors.ts";
import { allows } from "#lib/platform/http/scopes.ts";
import { rampContract } from "#lib/ramps/contract.ts";

const READ_ONLY =
  "Your API key can read feature flags but not change them. Sign in with a key that has the scope feature_flag:write.";

/** Errors that only mean that the key has no access: the page works without the data. */
const orElse = async <T>(read: Promise<T>, otherwise: T): Promise<T> => {
  try {
    return await read;
  } catch (error) {
    if (error instanceof ApiError && error.status !== 401) return otherwise;
    throw error;
  }
};

/** What the signed-in key may do with flags, known before anything is clicked. */
export async function accessOf(): Promise<Access> {
  const { who } = await requireWho();
  const may_write = allows(who.scopes, "feature_flag:write");
  return { may_write, reason: may_write ? null : READ_ONLY };
}

/** Address of the API where it is not our own; null for our own. */
export async function readRemoteBase(): Promise<string | null> {
  const { session } = await requireWho();
  return session.api_base_url === "own" ? null : session.api_base_url;
}

/** The public token of the project; null where the key may not read projects. */
export async function projectToken(api: Client, projectId: string): Promise<string | null> {
  const params = { project_id: projectId };
  const project = await orElse(api.call(projectContract.retrieve, { params }), null);
  if (project) return project.api_token;
  const list = await orElse(api.call(projectContract.list, {}), null);
  return list?.results.find((each) => String(each.id) === projectId)?.api_token ?? null;
}

type Targeted = Pick<FlagRecord, "filters">;

const propertiesOf = (flags: readonly Targeted[]) =>
  flags.flatMap((flag) => flag.filters.groups.flatMap((group) => group.properties ?? []));

/** Names of the project's group types, by index. */
async function groupNames(api: Client, projectId: string): Promise<ReadonlyMap<number, string>> {
  const types = await orElse(api.call(groupContract.types, { params: { project_id: projectId } }), []);
  return new Map(
    types.map((each) => [each.group_type_index, each.name_plural ?? `groups of type ${each.group_type}`]),
  );
}

const asksForGroups = (flag: Targeted) => typeof flag.filters.aggregation_group_type_index === "number";

/** Names of what these flags refer to: cohorts, other flags, kinds of groups. */
export async function namesFor(
  api: Client,
  projectId: string,
  flags: readonly Targeted[],
): Promise<Required<Names>> {
  const params = { project_id: projectId };
  const rows = propertiesOf(flags);
  const ids = [...new Set(rows.filter((row) => row.type === "flag").map((row) => row.key))];
  const usesCohorts = rows.some((row) => row.type === "cohort");
  const [keys, cohorts, groups] = await Promise.all([
    ids.length > 0 ? orElse(api.call(flagContract.bulk_keys, { params, body: { ids } }), { keys: {} }) : null,
    usesCohorts ? orElse(api.call(cohortContract.list, { params, query: { limit: "1000" } }), null) : null,
    flags.some(asksForGroups) ? groupNames(api, projectId) : new Map<number, string>(),
  ]);
  return {
    flags: new Map(Object.entries(keys?.keys ?? {})),
    cohorts: new Map((cohorts?.results ?? []).map((cohort) => [String(cohort.id), cohort.name])),
    groups,
  };
}

/** The same for the form, which also offers kinds of groups that the flag does not use yet. */
export async function readFormNames(
  api: Client,
  projectId: string,
  flag: FlagRecord | null,
): Promise<Required<Names>> {
  const [names, groups] = await Promise.all([
    namesFor(api, projectId, flag ? [flag] : []),
    groupNames(api, projectId),
  ]);
  return { ...names, groups };
}

/** Calls of a flag by day and value; null where the key may not read them. */
export const usageOf = (api: Client, projectId: string, id: number, days?: string) =>
  orElse(
    api.call(usageContract.usage, { params: { project_id: projectId, id: String(id) }, query: { days } }),
    null,
  );

/** How far the latest change of a flag has come; null where the key may not read it, or the service does not know. */
export const receiptOf = (api: Client, projectId: string, id: number) =>
  orElse(api.call(receiptContract.receipt, { params: { project_id: projectId, id: String(id) } }), null);

/** The people and SDKs that called a flag; null where the key may not read them. */
export const callersOf = (api: Client, projectId: string, id: number, days: string) =>
  orElse(
    api.call(usageContract.callers, { params: { project_id: projectId, id: String(id) }, query: { days } }),
    null,
  );

/** The saved views of the list; null where the key may not read them, or the service has none. */
export async function viewsOf(api: Client, projectId: string) {
  const query = { limit: String(SAVED_VIEWS_MAX) };
  const found = await orElse(
    api.call(savedViewContract.list, { params: { project_id: projectId }, query }),
    null,
  );
  return found?.results ?? null;
}

const SCHEDULES = "100";

/** The latest scheduled changes of a flag. */
export async function schedulesOf(api: Client, projectId: string, id: number) {
  const query = { record_id: String(id), limit: SCHEDULES };
  const found = await orElse(
    api.call(scheduledChangeContract.list, { params: { project_id: projectId }, query }),
    null,
  );
  return found?.results ?? [];
}

/** The people who are pinned to a value of a flag; none where the key may not read them. */
export async function pinsOf(api: Client, projectId: string, id: number) {
  const query = { limit: String(PINS_MAX) };
  const params = { project_id: projectId, id: String(id) };
  const found = await orElse(api.call(pinsContract.pins, { params, query }), null);
  return found?.results ?? [];
}

const RAMPS = "20";

/** The latest ramps of a flag, newest first. */
export async function rampsOf(api: Client, projectId: string, id: number) {
  const query = { feature_flag: String(id), limit: RAMPS };
  const found = await orElse(api.call(rampContract.list, { params: { project_id: projectId }, query }), null);
  return found?.results ?? [];
}

/** The time zone in which the project's changes are scheduled. */
export async function timezoneOf(projectId: string): Promise<string> {
  const { who } = await requireWho();
  return who.projects.find((each) => String(each.id) === projectId)?.timezone ?? "UTC";
}

/** Whether the project has other environments. */
export async function hasEnvironments(api: Client, projectId: string): Promise<boolean> {
  const params = { project_id: projectId };
  const found = await orElse(api.call(flagEnvironmentContract.linked, { params }), null);
  return (found?.results.length ?? 0) > 0;
}

const RECENT = "5";

/** The latest changes of a flag; null where the key may not read them. */
export const activityOf = (api: Client, projectId: string, id: number) =>
  orElse(
    api.call(flagContract.activity, {
      params: { project_id: projectId, id: String(id) },
      query: { limit: RECENT },
    }),
    null,
  );

/** One flag; null where there is none with this id. */
export async function flagById(api: Client, projectId: string, id: string): Promise<FlagRecord | null> {
  if (!/^\d+$/.test(id)) return null;
  try {
    return await api.call(flagContract.retrieve, { params: { project_id: projectId, id } });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
