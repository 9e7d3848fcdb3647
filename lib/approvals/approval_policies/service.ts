import { changesBetween } from "#lib/activity/changes.ts";
import type { ActivityChange } from "#lib/activity/schema.ts";
import { record } from "#lib/activity/service.ts";
import { actorOf } from "#lib/approvals/actor.ts";
import type { MemberContext } from "#lib/approvals/context.ts";
import { userOf } from "#lib/identity/accounts/schema.ts";
import { lockProject } from "#lib/identity/projects/store.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { publish } from "#lib/platform/db/notify.ts";
import { plural } from "#lib/platform/format.ts";
import { requireAdmin } from "#lib/platform/http/auth.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import type { Accounts } from "#lib/platform/http/directory.ts";
import { invalid, notFound, permissionDenied } from "#lib/platform/http/errors.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import { POLICIES_TOPIC } from "./cache.ts";
import type { approvalPolicyContract } from "./contract.ts";
import { formatLifetime } from "./lifetime.ts";
import { type Policy, policyInWords, policyOf, policyWarnings, storedFieldsOf } from "./requirements.ts";
import type { PolicyRecord } from "./schema.ts";
import {
  countPolicies,
  deletePolicy,
  forgetApproved,
  hasEnabled,
  insertPolicy,
  lockPolicy,
  type PolicyRow,
  selectPolicies,
  selectPolicy,
  updatePolicy,
} from "./store.ts";

type Of<Name extends keyof typeof approvalPolicyContract> = Input<(typeof approvalPolicyContract)[Name]>;

const POLICIES_MAX = 50;

/** Names of the active members of the project's organization, by id. */
function membersOf({ users, levels }: Accounts, { project }: MemberContext): Map<number, string> {
  const active = [...users.values()].filter(
    (user) => user.is_active && levels.has(`${project.organization_id}/${user.id}`),
  );
  return new Map(
    active.map(({ id, first_name, last_name, email }) => [
      id,
      [first_name, last_name].filter(Boolean).join(" ") || email,
    ]),
  );
}

/** The stored fields as the API shows them. */
const fieldsOf = (row: PolicyRow) => ({
  action_key: row.action_key,
  conditions: row.conditions,
  approver_config: { quorum: row.quorum, users: row.users, roles: [] },
  forbidden: row.forbidden,
  allow_self_approve: row.allow_self_approve,
  bypass_org_membership_levels: row.bypass_org_membership_levels,
  bypass_roles: [],
  expires_after: formatLifetime(row.expires_after_seconds),
  enabled: row.enabled,
});

const recordOf = (context: MemberContext, row: PolicyRow, accounts: Accounts): PolicyRecord => ({
  id: row.id,
  ...fieldsOf(row),
  in_words: policyInWords(row, { users: membersOf(accounts, context) }),
  warnings: policyWarnings(row, { users: membersOf(accounts, context) }),
  created_by: userOf(accounts, row.created_by_id),
  created_at: instant(row.created_at),
  updated_at: instant(row.updated_at),
});

const answer = async (context: MemberContext, row: PolicyRow): Promise<PolicyRecord> =>
  recordOf(context, row, await context.runtime.directory.current());

const projectOf = ({ project }: MemberContext) => ({ project_id: project.id });

export async function list(context: MemberContext, { query }: Of<"list">) {
  const { action_key } = query;
  const enabled = query.enabled === undefined ? undefined : query.enabled.toLowerCase() === "true";
  const filter = { ...projectOf(context), action_key, enabled };
  const { rows, total } = await selectPolicies(context.db, filter, query);
  const accounts = await context.runtime.directory.current();
  return {
    count: total,
    ...neighbours(context.url, query, total),
    results: rows.map((row) => recordOf(context, row, accounts)),
  };
}

export async function retrieve(context: MemberContext, { params }: Of<"retrieve">) {
  const row = await selectPolicy(context.db, projectOf(context), params.id);
  if (!row) throw notFound();
  return answer(context, row);
}

/** Throws the API's error for approvers who cannot approve, or of whom there are too few. */
function checkApprovers(members: ReadonlyMap<number, string>, policy: Omit<Policy, "id">): void {
  if (policy.forbidden) return;
  const strangers = policy.users.filter((id) => !members.has(id));
  if (strangers.length > 0)
    throw invalid(
      `Not active members of the organization: ${strangers.join(", ")}.`,
      "approver_config__users",
      "does_not_exist",
    );
  // One of the members asks, and may not approve it.
  const others = policy.allow_self_approve ? members.size : members.size - 1;
  const possible = policy.users.length > 0 ? policy.users.length : others;
  if (policy.quorum > possible)
    throw invalid(
      policy.users.length > 0
        ? `Only ${plural(possible, "person", "people")} may approve: ask for fewer approvals, or name more people.`
        : `${possible === 0 ? "Nobody" : `Only ${plural(possible, "person", "people")}`} could approve: ask for fewer approvals, or add members to the organization.`,
      "approver_config__quorum",
    );
}

const SCOPE = "ApprovalPolicy";
const LOGGED = [
  "action_key",
  "conditions",
  "approver_config",
  "forbidden",
  "allow_self_approve",
  "bypass_org_membership_levels",
  "expires_after",
  "enabled",
];

async function note(
  tx: Db,
  context: MemberContext,
  row: PolicyRow,
  activity: string,
  changes: ActivityChange[] = [],
): Promise<void> {
  const accounts = await context.runtime.directory.current();
  await record(tx, {
    ...projectOf(context),
    user_id: context.user.id,
    scope: SCOPE,
    item_id: row.id,
    activity,
    name: policyInWords(row, { users: membersOf(accounts, context) }),
    changes,
    at: context.now,
  });
  await publish(tx, POLICIES_TOPIC, projectOf(context));
}

/**
 * Changes policies in a transaction, after which those in memory are read again. Only administrators may, and no agent
 * of theirs: it could free itself.
 */
async function write<T>(context: MemberContext, change: (tx: Db) => Promise<T>): Promise<T> {
  await requireAdmin(context, context.project.organization_id);
  if (actorOf(context) === "agent") throw permissionDenied("An agent cannot change approval policies.");
  const result = await inTransaction(context.db, async (tx) => {
    const changed = await change(tx);
    if (!(await hasEnabled(tx, projectOf(context)))) await forgetApproved(tx, projectOf(context));
    return changed;
  });
  context.runtime.policies.changed(context.project.id);
  return result;
}

export async function create(context: MemberContext, { body }: Of<"create">) {
  const row = await write(context, async (tx) => {
    const values = policyOf(body);
    checkApprovers(membersOf(await context.runtime.directory.current(), context), values);
    await lockProject(tx, context.project.id);
    if ((await countPolicies(tx, projectOf(context))) >= POLICIES_MAX)
      throw invalid(`A project has at most ${POLICIES_MAX} approval policies.`);
    const made = await insertPolicy(tx, {
      ...values,
      ...projectOf(context),
      created_by_id: context.user.id,
      updated_at: context.now,
    });
    await note(tx, context, made, "created");
    return made;
  });
  return answer(context, row);
}

async function change(context: MemberContext, id: string, values: Partial<Policy>) {
  const row = await write(context, async (tx) => {
    const before = await lockPolicy(tx, projectOf(context), id);
    if (!before) throw notFound();
    // One whose approvers have left can still be disabled, or changed otherwise.
    const judged = ["users", "allow_self_approve", "forbidden"].some((field) => field in values);
    if (judged || values.enabled)
      checkApprovers(membersOf(await context.runtime.directory.current(), context), { ...before, ...values });
    const after = await updatePolicy(tx, id, { ...values, updated_at: context.now });
    const changes = changesBetween(SCOPE, LOGGED, fieldsOf(before), fieldsOf(after));
    if (changes.length > 0) await note(tx, context, after, "updated", changes);
    return after;
  });
  return answer(context, row);
}

export const partial_update = (context: MemberContext, { params, body }: Of<"partial_update">) =>
  change(context, params.id, storedFieldsOf(body));

export const update = (context: MemberContext, { params, body }: Of<"update">) =>
  change(context, params.id, policyOf(body));

export async function destroy(context: MemberContext, { params }: Of<"destroy">) {
  await write(context, async (tx) => {
    const row = await lockPolicy(tx, projectOf(context), params.id);
    if (!row) throw notFound();
    await deletePolicy(tx, row.id);
    await note(tx, context, row, "deleted");
  });
  return undefined;
}
