import { record } from "#lib/activity/service.ts";
import {
  type Policy,
  policyInWords,
  type Requirement,
} from "#lib/approvals/approval_policies/requirements.ts";
import type { CallingContext } from "#lib/approvals/context.ts";
import type { Judged } from "#lib/approvals/gate/judged.ts";
import { isSurveyFlag } from "#lib/flags/feature_flags/schema.ts";
import { userOf } from "#lib/identity/accounts/schema.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { covers, requireScope } from "#lib/platform/http/auth.ts";
import type { Scope } from "#lib/platform/http/contract.ts";
import { ADMIN_LEVEL } from "#lib/platform/http/directory.ts";
import { invalid, notFound, permissionDenied } from "#lib/platform/http/errors.ts";
import { instant, instantOrNull } from "#lib/platform/http/instant.ts";
import { openCalls, scopesOf } from "./calls.ts";
import type { ChangeRequest } from "./schema.ts";
import { lockRequest, type RequestRow, type ReviewRow, selectRequest, selectReviews } from "./store.ts";

type Accounts = Awaited<ReturnType<CallingContext["runtime"]["directory"]["current"]>>;

const SCOPE = "ChangeRequest";

/** What one call of a request writes, by `resource/id`, and the flags of which it changes the value. */
export type Part = { written: string[]; flags: number[] };

/** What was shown of a request. */
export const shownOf = (row: RequestRow) => row.shown as unknown as Judged & { parts?: Part[] };
/** What a request needs: what its policies ask for, or one approval where nobody asks for any. */
export const requirementOf = (row: RequestRow): Requirement | null => shownOf(row).requirement;

type Vote = ReviewRow & { decision: NonNullable<ReviewRow["decision"]> };
export const isVote = (review: ReviewRow): review is Vote => review.decision !== null;

/** Whether a policy counts the approval of somebody. */
const counts = ({ users }: Pick<Policy, "users">, userId: number | null): boolean =>
  users.length === 0 || users.includes(userId ?? 0);

/** How many approvals a request still waits for. */
export function missing(row: RequestRow, reviews: readonly ReviewRow[]): number {
  const approvers = reviews
    .filter(({ decision }) => decision === "approved")
    .map((each) => each.created_by_id);
  const rules = requirementOf(row)?.policies ?? [{ quorum: 1, users: [] as number[], forbidden: false }];
  return Math.max(
    0,
    ...rules
      .filter(({ forbidden }) => !forbidden)
      .map((rule) => rule.quorum - approvers.filter((id) => counts(rule, id)).length),
  );
}

/** Whether somebody may vote; nobody votes on their own request unless every policy lets them. */
export function mayVote(row: RequestRow, userId: number): boolean {
  const policies = requirementOf(row)?.policies ?? [];
  if (
    row.created_by_id === userId &&
    !(policies.length > 0 && policies.every((each) => each.allow_self_approve))
  )
    return false;
  return policies.length === 0 || policies.some((policy) => counts(policy, userId));
}

/** Whether a request waits: for approval, which it does not forever, or approved for its moment. */
export const isOpen = (row: RequestRow, now: Date): boolean =>
  row.state === "approved" || (row.state === "pending" && row.expires_at > now);

/** Whether a request can be applied as it is: nobody has to approve it, or enough have. */
export const isApplicable = (row: RequestRow, reviews: readonly ReviewRow[]): boolean =>
  requirementOf(row) === null || missing(row, reviews) === 0;

export const isBlocked = (reviews: readonly ReviewRow[]): boolean =>
  reviews.some(({ decision }) => decision === "changes_requested");

const namesOf = ({ users }: Accounts): Map<number, string> =>
  new Map([...users.values()].map(({ id, first_name, email }) => [id, first_name || email]));

export async function recordsOf(
  context: CallingContext,
  rows: readonly RequestRow[],
): Promise<ChangeRequest[]> {
  const { db, runtime, project, user, now } = context;
  const [accounts, all] = await Promise.all([
    runtime.directory.current(),
    selectReviews(
      db,
      rows.map(({ id }) => id),
    ),
  ]);
  const isAdmin = (await runtime.directory.level(project.organization_id, user.id)) >= ADMIN_LEVEL;
  const byRequest = Map.groupBy(all, (review) => review.change_request_id);
  return rows.map((row) => {
    const reviews = byRequest.get(row.id) ?? [];
    const votes = reviews.filter(isVote);
    const mine = votes.findLast((vote) => vote.created_by_id === user.id)?.decision ?? null;
    const shown = shownOf(row);
    const open = isOpen(row, now);
    const requirement = shown.requirement;
    const signed = ({ id, created_by_id, reason, created_at }: ReviewRow) => ({
      id,
      created_by: userOf(accounts, created_by_id),
      reason,
      created_at: instant(created_at),
    });
    const isRequester = row.created_by_id === user.id;
    return {
      id: row.id,
      title: row.title,
      description: row.description,
      action_key: row.action_key,
      action_version: 1,
      resource_type: row.resource_type,
      resource_id: row.resource_id,
      resources: shown.written,
      parts: shown.parts ?? [],
      ...(row.intent_display as Pick<ChangeRequest, "intent" | "intent_display">),
      impact: {
        ...shown.impact,
        flags: shown.impact.flags.map((flag) => ({ ...flag, is_internal: isSurveyFlag(flag) })),
      },
      policy_snapshot: {
        quorum: requirement?.quorum ?? 1,
        users: [...new Set(requirement?.policies.flatMap(({ users }) => users) ?? [])],
        policies: requirement?.policies ?? [],
        in_words:
          requirement?.policies.map((each) =>
            policyInWords({ ...each, enabled: true, expires_after_seconds: 0 }, { users: namesOf(accounts) }),
          ) ?? [],
      },
      validation_status: row.state === "pending" && !open ? "expired" : row.validation_status,
      validation_errors: row.validation_errors,
      validated_at: instantOrNull(row.validated_at),
      state: row.state === "pending" && !open ? "expired" : row.state,
      created_by: userOf(accounts, row.created_by_id),
      actor: row.actor,
      applied_by: userOf(accounts, row.applied_by_id),
      created_at: instant(row.created_at),
      updated_at: instant(row.updated_at),
      expires_at: instant(row.expires_at),
      applied_at: instantOrNull(row.applied_at),
      apply_at: instantOrNull(row.apply_at),
      apply_error: row.apply_error,
      result_data: row.result_data,
      bypass_reason: row.bypass_reason,
      approvals: votes.map((vote) => ({ ...signed(vote), decision: vote.decision })),
      comments: reviews.filter((review) => !isVote(review)).map(signed),
      approvals_missing: missing(row, reviews),
      can_approve:
        row.state === "pending" && open && mine === null && mayVote(row, user.id) && !isBlocked(reviews),
      can_apply: open && isRequester && !isBlocked(reviews) && isApplicable(row, reviews),
      can_bypass: open && isAdmin,
      can_cancel: open && isRequester,
      can_revise: open && isRequester,
      is_requester: isRequester,
      needed_scopes: [...scopesFor(context, row)],
      user_decision: mine,
    };
  });
}

export async function recordOf(context: CallingContext, row: RequestRow): Promise<ChangeRequest> {
  const [found] = await recordsOf(context, [row]);
  if (!found) throw new Error("A record was not made.");
  return found;
}

export async function found(context: CallingContext, id: string): Promise<RequestRow> {
  const row = await selectRequest(context.db, context.project.id, id);
  if (!row) throw notFound();
  return row;
}

/** The scopes that it takes to decide on a request: those of its calls. One that cannot be opened is as a flag's. */
const scopesFor = ({ runtime }: CallingContext, row: RequestRow): readonly Scope[] => {
  const calls = openCalls(row.calls, runtime.settings.encryption_key);
  return calls ? scopesOf({ runtime }, calls) : ["feature_flag:write"];
};

/** Throws the API's error for a key that may read neither flags nor everything that a request changes. */
export function requireReadable(context: CallingContext, row: RequestRow): void {
  if (covers(context.key, "feature_flag:read")) return;
  for (const scope of scopesFor(context, row))
    requireScope(context.key, scope.replace(":write", ":read") as Scope);
}

/** Logs what became of a request, with a way back to it. */
export const note = (
  tx: Db,
  { project, user, now }: CallingContext,
  row: RequestRow,
  activity: string,
  reason = "",
) =>
  record(tx, {
    project_id: project.id,
    user_id: user.id,
    scope: SCOPE,
    item_id: row.id,
    activity,
    name: row.title,
    at: now,
    changes: reason ? [{ type: SCOPE, action: "created", field: "reason", before: null, after: reason }] : [],
  });

/** Throws the API's error for a request that is over. */
export function requireOpen(row: RequestRow, now: Date): void {
  if (!isOpen(row, now)) throw invalid("This change request is no longer pending.");
}

export function requireRequester(row: RequestRow, { user }: CallingContext): void {
  if (row.created_by_id !== user.id)
    throw permissionDenied("Only the person who made a change request may do this.");
}

/** Changes a pending request, locked, in a transaction. */
export const changing = <T>(
  context: CallingContext,
  id: string,
  change: (tx: Db, row: RequestRow, reviews: ReviewRow[]) => Promise<T>,
): Promise<T> =>
  inTransaction(context.db, async (tx) => {
    const row = await lockRequest(tx, context.project.id, id);
    if (!row) throw notFound();
    for (const scope of scopesFor(context, row)) requireScope(context.key, scope);
    requireOpen(row, context.now);
    return change(tx, row, await selectReviews(tx, [row.id]));
  });

export const answer = async (context: CallingContext, status: string, message: string, row: RequestRow) => ({
  status,
  message,
  change_request: await recordOf(context, row),
});
