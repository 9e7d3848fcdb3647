import { record } from "#lib/activity/service.ts";
import { actorOf } from "#lib/approvals/actor.ts";
import {
  type Policy,
  policyInWords,
  type Requirement,
} from "#lib/approvals/approval_policies/requirements.ts";
import type { Call, CallingContext } from "#lib/approvals/context.ts";
import { ApprovalNeeded, Lapsed, throughGate } from "#lib/approvals/gate/gate.ts";
import type { Pass } from "#lib/approvals/gate/judge.ts";
import { findDrift, type Judged } from "#lib/approvals/gate/judged.ts";
import { userOf } from "#lib/identity/accounts/schema.ts";
import { canonical } from "#lib/platform/canonical.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { requireAdmin, requireScope } from "#lib/platform/http/auth.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { ADMIN_LEVEL } from "#lib/platform/http/directory.ts";
import { ApiError, conflict, invalid, notFound, permissionDenied } from "#lib/platform/http/errors.ts";
import { instant, instantOrNull } from "#lib/platform/http/instant.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import { callOf, openCalls, sealCalls, shownCall } from "./calls.ts";
import type { changeRequestContract } from "./contract.ts";
import type { ChangeRequest, ProposedChange } from "./schema.ts";
import {
  deleteVotes,
  insertRequest,
  insertReview,
  lockRequest,
  type RequestInsert,
  type RequestRow,
  type ReviewRow,
  selectOpenOrFailed,
  selectRequest,
  selectRequests,
  selectReviews,
  updateRequest,
} from "./store.ts";

type Of<Name extends keyof typeof changeRequestContract> = Input<(typeof changeRequestContract)[Name]>;
type Accounts = Awaited<ReturnType<CallingContext["runtime"]["directory"]["current"]>>;

/** How long a request waits that no policy asked for. */
const LIFETIME_SECONDS = 14 * 86_400;
const ERROR_MAX = 1_000;
const SCOPE = "ChangeRequest";

/** What a request needs: what its policies ask for, or one approval where nobody asks for any. */
const shownOf = (row: RequestRow) => row.shown as unknown as Judged;
const requirementOf = (row: RequestRow): Requirement | null => shownOf(row).requirement;

type Vote = ReviewRow & { decision: NonNullable<ReviewRow["decision"]> };
const isVote = (review: ReviewRow): review is Vote => review.decision !== null;

/** Whether a policy counts the approval of somebody. */
const counts = ({ users }: Pick<Policy, "users">, userId: number | null): boolean =>
  users.length === 0 || users.includes(userId ?? 0);

/** How many approvals a request still waits for. */
function missing(row: RequestRow, reviews: readonly ReviewRow[]): number {
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
function mayVote(row: RequestRow, userId: number): boolean {
  const policies = requirementOf(row)?.policies ?? [];
  if (
    row.created_by_id === userId &&
    !(policies.length > 0 && policies.every((each) => each.allow_self_approve))
  )
    return false;
  return policies.length === 0 || policies.some((policy) => counts(policy, userId));
}

/** A request that has waited too long is over, whoever notices first. */
const isOpen = (row: RequestRow, now: Date): boolean => row.state === "pending" && row.expires_at > now;

/** Whether a request can be applied as it is: nobody has to approve it, or enough have. */
const isApplicable = (row: RequestRow, reviews: readonly ReviewRow[]): boolean =>
  requirementOf(row) === null || missing(row, reviews) === 0;

const isBlocked = (reviews: readonly ReviewRow[]): boolean =>
  reviews.some(({ decision }) => decision === "changes_requested");

const namesOf = ({ users }: Accounts): Map<number, string> =>
  new Map([...users.values()].map(({ id, first_name, email }) => [id, first_name || email]));

async function recordsOf(context: CallingContext, rows: readonly RequestRow[]): Promise<ChangeRequest[]> {
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
      ...(row.intent_display as Pick<ChangeRequest, "intent" | "intent_display">),
      impact: shown.impact,
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
      apply_error: row.apply_error,
      result_data: row.result_data,
      bypass_reason: row.bypass_reason,
      approvals: votes.map((vote) => ({ ...signed(vote), decision: vote.decision })),
      comments: reviews.filter((review) => !isVote(review)).map(signed),
      approvals_missing: missing(row, reviews),
      can_approve: open && mine === null && mayVote(row, user.id) && !isBlocked(reviews),
      can_apply: open && isRequester && !isBlocked(reviews) && isApplicable(row, reviews),
      can_bypass: open && isAdmin,
      can_cancel: open && isRequester,
      is_requester: isRequester,
      user_decision: mine,
    };
  });
}

async function recordOf(context: CallingContext, row: RequestRow): Promise<ChangeRequest> {
  const [found] = await recordsOf(context, [row]);
  if (!found) throw new Error("A record was not made.");
  return found;
}

export async function list(context: CallingContext, { query }: Of<"list">) {
  const { state, requester, action_key, resource_type, resource_id } = query;
  const filter = {
    project_id: context.project.id,
    states:
      state === undefined ? undefined : { in: state.split(",").map((each) => each.trim()), at: context.now },
    created_by_id: requester,
    action_key,
    resource_type,
    resource_id,
  };
  const { rows, total } = await selectRequests(context.db, filter, query);
  return { count: total, ...neighbours(context.url, query, total), results: await recordsOf(context, rows) };
}

async function found(context: CallingContext, id: string): Promise<RequestRow> {
  const row = await selectRequest(context.db, context.project.id, id);
  if (!row) throw notFound();
  return row;
}

/** What somebody has to do about a change request. */
export type Duty = "review" | "apply" | "revise" | "propose_again" | "see_failure";

/** The change requests that wait for something that somebody can do; newest first. */
export async function listDuties(
  db: Db,
  {
    project_id,
    user_id,
    now,
    since,
    limit,
  }: { project_id: number; user_id: number; now: Date; since: Date; limit: number },
): Promise<{ row: RequestRow; duty: Duty }[]> {
  const rows = await selectOpenOrFailed(db, { project_id, user_id, since, limit });
  const all = await selectReviews(
    db,
    rows.map(({ id }) => id),
  );
  const byRequest = Map.groupBy(all, (review) => review.change_request_id);
  return rows.flatMap((row) => {
    const duty = dutyOf(row, byRequest.get(row.id) ?? [], { user_id, now });
    return duty ? [{ row, duty }] : [];
  });
}

function dutyOf(
  row: RequestRow,
  reviews: readonly ReviewRow[],
  { user_id, now }: { user_id: number; now: Date },
): Duty | null {
  const isRequester = row.created_by_id === user_id;
  if (row.state === "failed") return "see_failure";
  if (!isOpen(row, now)) return isRequester ? "propose_again" : null;
  if (isBlocked(reviews)) return isRequester ? "revise" : null;
  if (isApplicable(row, reviews)) return isRequester ? "apply" : null;
  const hasVoted = reviews.some((review) => isVote(review) && review.created_by_id === user_id);
  return !hasVoted && mayVote(row, user_id) ? "review" : null;
}

export const retrieve = async (context: CallingContext, { params }: Of<"retrieve">) =>
  recordOf(context, await found(context, params.id));

const askingOf = async (context: CallingContext) => ({
  actor: actorOf(context),
  level: await context.runtime.directory.level(context.project.organization_id, context.user.id),
});

/** Runs calls in one transaction; what it would do, without doing it. @throws ApiError as one of them is refused */
async function rehearse(
  context: CallingContext,
  calls: readonly Call[],
  asking: Awaited<ReturnType<typeof askingOf>>,
) {
  try {
    await throughGate(context, { asking, pass: { kind: "rehearsal" } }, () => performAll(context, calls));
  } catch (error) {
    if (error instanceof ApprovalNeeded) return error.judged;
    throw error;
  }
  throw invalid("This would change nothing.", "changes");
}

const performAll = (context: CallingContext, calls: readonly Call[], then?: (tx: Db) => Promise<void>) =>
  inTransaction(context.db, async (tx) => {
    for (const call of calls) await context.runtime.perform({ ...context, db: tx }, call);
    await then?.(tx);
  });

/** The title of a request that was given none. */
function titleOf({ written, action_keys }: Judged): string {
  const names = written
    .filter(({ resource }) => resource !== "cohort" || written.length === 1)
    .map(({ name }) => name);
  const verb = action_keys.includes("feature_flag.enable")
    ? "Enable"
    : action_keys.includes("feature_flag.disable")
      ? "Disable"
      : "Change";
  const more = names.length > 3 ? ` and ${names.length - 3} more` : "";
  return `${verb} ${names.slice(0, 3).join(", ")}${more}`;
}

/** What is stored of a judged change. */
function valuesOf(context: CallingContext, calls: readonly Call[], judged: Judged, title: string) {
  const { runtime } = context;
  const [only] = judged.written;
  const isSet = judged.written.length !== 1 && calls.length !== 1;
  const main =
    judged.written.find(
      ({ resource, id }) => calls[0]?.params.id === id && calls[0].operation.startsWith(resource),
    ) ?? only;
  const hasSecrets = judged.entries.some(({ detail }) => JSON.stringify(detail).includes("(encrypted)"));
  return {
    title: title.slice(0, 200),
    calls: sealCalls(calls, runtime.settings.encryption_key),
    action_key: judged.action_keys[0] ?? `${main?.resource ?? "change"}.update`,
    resource_type: isSet ? "change_set" : (main?.resource ?? "change_set"),
    resource_id: isSet ? null : (main?.id ?? null),
    intent_display: {
      intent: { changes: calls.map((call) => shownCall(context, call, hasSecrets)) },
      intent_display: { description: title, entries: judged.entries },
    },
    shown: { ...judged, entries: [] },
    validated_at: context.now,
    updated_at: context.now,
    expires_at: new Date(
      context.now.getTime() + (judged.requirement?.expires_after_seconds ?? LIFETIME_SECONDS) * 1_000,
    ),
  } satisfies Partial<RequestInsert>;
}

/** Logs what became of a request, with a way back to it. */
const note = (
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

/** Makes a request of a change that was judged. */
export async function makeRequest(
  context: CallingContext,
  calls: readonly Call[],
  judged: Judged,
  { title, description = "" }: { title?: string | undefined; description?: string } = {},
): Promise<ChangeRequest> {
  const { project, user, now } = context;
  const row = await inTransaction(context.db, async (tx) => {
    const made = await insertRequest(tx, {
      ...valuesOf(context, calls, judged, title || titleOf(judged)),
      description,
      project_id: project.id,
      actor: actorOf(context),
      created_by_id: user.id,
      created_at: now,
    });
    await note(tx, context, made, "created");
    return made;
  });
  return recordOf(context, row);
}

const SIMILAR_MAX = 20;

/** The pending request that somebody has made of the same call already: clients repeat what was not done. */
export async function findSame(
  context: CallingContext,
  calls: readonly Call[],
): Promise<ChangeRequest | null> {
  const { db, project, user, now, runtime } = context;
  const filter = {
    project_id: project.id,
    created_by_id: user.id,
    states: { in: ["pending"], at: now },
  };
  const { rows } = await selectRequests(db, filter, { limit: SIMILAR_MAX, offset: 0 });
  const wanted = canonical(calls);
  const same = rows.find(
    (row) => canonical(openCalls(row.calls, runtime.settings.encryption_key)) === wanted,
  );
  return same ? recordOf(context, same) : null;
}

const callsOf = (context: CallingContext, changes: readonly ProposedChange[]): Call[] =>
  changes.map((change, at) => callOf(context, change, at));

export async function create(context: CallingContext, { body }: Of<"create">) {
  const calls = callsOf(context, body.changes);
  return makeRequest(context, calls, await rehearse(context, calls, await askingOf(context)), body);
}

/** Throws the API's error for a request that is over. */
function requireOpen(row: RequestRow, now: Date): void {
  if (!isOpen(row, now)) throw invalid("This change request is no longer pending.");
}

function requireRequester(row: RequestRow, { user }: CallingContext): void {
  if (row.created_by_id !== user.id) throw permissionDenied("Only who made a change request may do this.");
}

/** Changes a pending request, locked, in a transaction. */
const changing = <T>(
  context: CallingContext,
  id: string,
  change: (tx: Db, row: RequestRow, reviews: ReviewRow[]) => Promise<T>,
): Promise<T> =>
  inTransaction(context.db, async (tx) => {
    const row = await lockRequest(tx, context.project.id, id);
    if (!row) throw notFound();
    requireOpen(row, context.now);
    return change(tx, row, await selectReviews(tx, [row.id]));
  });

export async function partial_update(context: CallingContext, { params, body }: Of<"partial_update">) {
  const { changes, ...texts } = body;
  const before = await found(context, params.id);
  requireRequester(before, context);
  requireOpen(before, context.now);
  const calls = changes && callsOf(context, changes);
  const judged = calls && (await rehearse(context, calls, await askingOf(context)));
  const row = await changing(context, params.id, async (tx, locked) => {
    const title = texts.title ?? locked.title;
    if (calls) await deleteVotes(tx, locked.id);
    const after = await updateRequest(tx, locked.id, {
      updated_at: context.now,
      ...texts,
      ...(calls && judged && { ...valuesOf(context, calls, judged, title), actor: actorOf(context) }),
    });
    await note(tx, context, after, "updated");
    return after;
  });
  return recordOf(context, row);
}

const answer = async (context: CallingContext, status: string, message: string, row: RequestRow) => ({
  status,
  message,
  change_request: await recordOf(context, row),
});

/** The calls of a request, which whoever decides on it could make as well. */
function sealedCalls({ runtime, key }: CallingContext, row: RequestRow): Call[] {
  const calls = openCalls(row.calls, runtime.settings.encryption_key);
  if (!calls)
    throw invalid("It was made with another ENCRYPTION_KEY and cannot be applied: propose the change again.");
  for (const { operation } of calls) requireScope(key, runtime.operations.get(operation)?.scope ?? null);
  return calls;
}

/** The context in which a request is applied: that of who made it, as far as they may still write. */
async function requesterOf(context: CallingContext, row: RequestRow): Promise<CallingContext> {
  const { runtime, project } = context;
  const { users } = await runtime.directory.current();
  const user = users.get(row.created_by_id ?? 0);
  const level = user?.is_active ? await runtime.directory.level(project.organization_id, user.id) : 0;
  if (!user || level === 0)
    throw invalid("Who made this change request has no access to this project any more.");
  return { ...context, user };
}

/** Ends a request of which an approval would not cover any more what it does. */
async function lapse(context: CallingContext, id: string, reason: string) {
  const row = await changing(context, id, async (tx, before) => {
    await note(tx, context, before, "lapsed", reason);
    return updateRequest(tx, id, {
      state: "expired",
      validation_status: "stale",
      validation_errors: { detail: reason },
      validated_at: context.now,
      updated_at: context.now,
    });
  });
  return answer(context, "expired", `The request has lapsed. ${reason}`, row);
}

/** The request is not the one that was to be applied: somebody has revised or applied it. */
class Outdated extends Error {}

/** Applies a request whole, or says why not. */
async function carryOut(
  context: CallingContext,
  row: RequestRow,
  pass: Pass,
  values: Partial<RequestInsert> = {},
) {
  const calls = sealedCalls(context, row);
  const requester = await requesterOf(context, row);
  const asking = {
    actor: row.actor,
    level: await context.runtime.directory.level(context.project.organization_id, requester.user.id),
  };
  try {
    await throughGate(requester, { asking, pass }, () =>
      performAll(requester, calls, async (tx) => {
        const locked = await lockRequest(tx, context.project.id, row.id);
        if (!locked || locked.updated_at.getTime() !== row.updated_at.getTime()) throw new Outdated();
        requireOpen(locked, context.now);
        await updateRequest(tx, row.id, {
          ...values,
          state: "applied",
          applied_by_id: context.user.id,
          applied_at: context.now,
          result_data: { resources: shownOf(row).written },
          updated_at: context.now,
        });
        await note(
          tx,
          context,
          locked,
          values.bypass_reason ? "bypassed" : "applied",
          values.bypass_reason ?? "",
        );
      }),
    );
  } catch (error) {
    if (error instanceof Outdated)
      throw conflict("This change request has been changed meanwhile: read it again.");
    const lapsed =
      error instanceof ApprovalNeeded
        ? "A policy asks for approval now."
        : error instanceof Lapsed && error.message;
    if (lapsed) return lapse(context, row.id, lapsed);
    if (!(error instanceof ApiError) || error.status >= 500 || error.status === 403 || error.status === 429)
      throw error;
    const failed = await changing(context, row.id, (tx) =>
      updateRequest(tx, row.id, {
        state: "failed",
        validation_status: "invalid",
        apply_error: error.message.slice(0, ERROR_MAX),
        updated_at: context.now,
      }),
    );
    return answer(context, "failed", `It could not be applied: ${error.message}`, failed);
  }
  forgetCaches(context);
  return answer(context, "applied", "The change was applied.", await found(context, row.id));
}

/** What was read from memory while the transaction was open is read again. */
function forgetCaches({ runtime, project }: CallingContext): void {
  runtime.flags.changed(project.id);
  runtime.cohorts.changed(project.id);
  runtime.surveys.changed(project.id);
}

const revisionNeeded = () => invalid("A reviewer has asked for changes: it has to be revised first.");

const requireVoter = (row: RequestRow, context: CallingContext, reviews: readonly ReviewRow[]): void => {
  if (actorOf(context) === "agent") throw permissionDenied("An agent cannot decide on change requests.");
  if (row.created_by_id === context.user.id && !mayVote(row, context.user.id))
    throw permissionDenied("Nobody decides on their own change request.");
  if (!mayVote(row, context.user.id)) throw permissionDenied("The policy names others as approvers.");
  if (reviews.some((review) => isVote(review) && review.created_by_id === context.user.id))
    throw invalid("You have already voted on this change request.");
};

/** Stores a vote or a comment. */
const review = (
  context: CallingContext,
  id: string,
  decision: ReviewRow["decision"],
  reason: string,
  then: (tx: Db, row: RequestRow, reviews: ReviewRow[]) => Promise<RequestRow> = async (_, row) => row,
) =>
  changing(context, id, async (tx, row, reviews) => {
    if (decision) requireVoter(row, context, reviews);
    await insertReview(tx, {
      change_request_id: id,
      created_by_id: context.user.id,
      decision,
      reason,
      created_at: context.now,
    });
    await note(tx, context, row, decision ?? "commented", reason);
    return then(tx, row, await selectReviews(tx, [id]));
  });

export async function approve(context: CallingContext, { params, body }: Of<"approve">) {
  const { id } = params;
  const before = await found(context, id);
  requireOpen(before, context.now);
  const known = await selectReviews(context.db, [id]);
  requireVoter(before, context, known);
  if (isBlocked(known)) throw revisionNeeded();
  // What a vote is for is what was shown: if that has changed, the vote is not counted.
  const calls = sealedCalls(context, before);
  const requester = await requesterOf(context, before);
  const asking = {
    actor: before.actor,
    level: await context.runtime.directory.level(context.project.organization_id, requester.user.id),
  };
  const drift = await rehearse(requester, calls, asking).then(
    (judged) => findDrift(shownOf(before), judged),
    (error: unknown) => {
      if (error instanceof ApiError && error.status < 500 && error.status !== 429) return error.message;
      throw error;
    },
  );
  if (drift) return lapse(context, id, drift);
  const row = await review(context, id, "approved", body.reason);
  const waits = missing(row, await selectReviews(context.db, [id]));
  if (waits > 0) return answer(context, "approved", `Approval recorded. ${waits} more needed.`, row);
  return carryOut(context, row, { kind: "approved", shown: shownOf(row) });
}

export async function reject(context: CallingContext, { params, body }: Of<"reject">) {
  const row = await review(context, params.id, "rejected", body.reason, (tx, { id }) =>
    updateRequest(tx, id, { state: "rejected", updated_at: context.now }),
  );
  return answer(context, "rejected", "Change request rejected.", row);
}

export async function request_changes(context: CallingContext, { params, body }: Of<"request_changes">) {
  const row = await review(context, params.id, "changes_requested", body.reason);
  return answer(context, "changes_requested", "It waits to be revised.", row);
}

export async function comment(context: CallingContext, { params, body }: Of<"comment">) {
  const row = await review(context, params.id, null, body.reason);
  return answer(context, "commented", "Comment added.", row);
}

export async function cancel(context: CallingContext, { params, body }: Of<"cancel">) {
  const row = await changing(context, params.id, async (tx, locked) => {
    requireRequester(locked, context);
    await note(tx, context, locked, "cancelled", body.reason);
    return updateRequest(tx, locked.id, { state: "rejected", updated_at: context.now });
  });
  return answer(context, "canceled", "Change request canceled.", row);
}

export async function apply(context: CallingContext, { params }: Of<"apply">) {
  const row = await found(context, params.id);
  requireOpen(row, context.now);
  requireRequester(row, context);
  const reviews = await selectReviews(context.db, [row.id]);
  if (isBlocked(reviews)) throw revisionNeeded();
  if (!isApplicable(row, reviews))
    throw permissionDenied("A policy asks for approval: others have to give it.");
  const pass: Pass =
    requirementOf(row) === null ? { kind: "policies" } : { kind: "approved", shown: shownOf(row) };
  return carryOut(context, row, pass);
}

export async function bypass(context: CallingContext, { params, body }: Of<"bypass">) {
  await requireAdmin(context, context.project.organization_id);
  if (actorOf(context) === "agent") throw permissionDenied("An agent cannot bypass policies.");
  const row = await found(context, params.id);
  requireOpen(row, context.now);
  return carryOut(context, row, { kind: "bypass" }, { bypass_reason: body.reason });
}
