import type { MemberContext } from "#lib/flags/context.ts";
import { userOf } from "#lib/identity/accounts/schema.ts";
import { withGroups } from "#lib/people/conditions/filters-schema.ts";
import { recordFrom } from "#lib/platform/fields-schema.ts";
import type { Directory } from "#lib/platform/http/directory.ts";
import { ADMIN_LEVEL } from "#lib/platform/http/directory.ts";
import { instantOrNull } from "#lib/platform/http/instant.ts";
import { unreadable } from "#lib/platform/http/stored-schema.ts";
import type { Flag } from "./cache.ts";
import { FLAG_FIELDS, type FlagRecord } from "./schema.ts";
import { statusOf } from "./status.ts";
import type { SurveyRow } from "./store.ts";

type Accounts = Awaited<ReturnType<Directory["current"]>>;
/** The viewer: its creator and administrators manage a flag, other members edit it. */
export type Viewer = { accounts: Accounts; user_id: number; is_admin: boolean; now: Date };

export async function readViewer(context: MemberContext): Promise<Viewer> {
  const { directory } = context.runtime;
  const level = await directory.level(context.project.organization_id, context.user.id);
  return {
    accounts: await directory.current(),
    user_id: context.user.id,
    is_admin: level >= ADMIN_LEVEL,
    now: context.now,
  };
}

/** The one set of a simple flag: no properties, evaluated for persons. */
function simpleGroup(filters: FlagRecord["filters"]) {
  const [only, ...others] = filters.groups;
  const simple =
    only &&
    others.length === 0 &&
    !only.properties?.length &&
    (filters.aggregation_group_type_index ?? null) === null;
  return simple ? only : null;
}

const surveyLink = (survey: SurveyRow, key: string) => ({
  id: survey.id,
  name: survey.name,
  type: survey.type,
  linked_flag_key: key,
  questions: survey.questions,
  conditions: survey.conditions,
  appearance: survey.appearance,
  start_date: instantOrNull(survey.start_date),
  end_date: instantOrNull(survey.end_date),
  schedule: survey.schedule,
  enable_partial_responses: survey.enable_partial_responses,
});

/** The public record of a flag, for a viewer. */
export function recordOf(flag: Flag, viewer: Viewer): FlagRecord {
  const filters = withGroups(flag.filters) as FlagRecord["filters"];
  const simple = simpleGroup(filters);
  const manages = viewer.is_admin || flag.created_by_id === viewer.user_id;
  const record = recordFrom(FLAG_FIELDS, flag, {
    filters,
    created_by: userOf(viewer.accounts, flag.created_by_id),
    last_modified_by: userOf(viewer.accounts, flag.last_modified_by_id),
    is_simple_flag: simple !== null,
    rollout_percentage: simple?.rollout_percentage ?? null,
    surveys: flag.surveys.map((survey) => surveyLink(survey, flag.key)),
    features: [],
    can_edit: true,
    usage_dashboard: flag.usage_dashboard_id,
    user_access_level: manages ? "manager" : "editor",
    status: statusOf(flag, viewer.now).status,
  });
  return { ...record, ...unreadable(flag.unreadable_fields) };
}

type CachedBytes = {
  accounts: Accounts;
  manager?: Buffer | undefined;
  editor?: Buffer | undefined;
  status: string;
};
const cache = new WeakMap<Flag, CachedBytes>();

/**
 * The record as JSON in UTF-8, cached as long as the flag, the people named in it and its status stay the same: a list of
 * flags copies their bytes. Joining their texts and encoding the result takes several times as long.
 */
export function recordBytes(flag: Flag, viewer: Viewer): Buffer {
  const { status } = statusOf(flag, viewer.now);
  let cached = cache.get(flag);
  if (cached?.accounts !== viewer.accounts || cached.status !== status) {
    cached = { accounts: viewer.accounts, status };
    cache.set(flag, cached);
  }
  const level = viewer.is_admin || flag.created_by_id === viewer.user_id ? "manager" : "editor";
  cached[level] ??= Buffer.from(JSON.stringify(recordOf(flag, viewer)));
  return cached[level];
}
