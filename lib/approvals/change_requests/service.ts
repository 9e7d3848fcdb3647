import { actorOf } from "#lib/approvals/actor.ts";
import type { Call, CallingContext } from "#lib/approvals/context.ts";
import type { Pass } from "#lib/approvals/gate/judge.ts";
import { findDrift, type Judged } from "#lib/approvals/gate/judged.ts";
import { reachedFrom, worldOf } from "#lib/approvals/gate/world.ts";
import { SURVEY_FLAG_PREFIX } from "#lib/flags/feature_flags/schema.ts";
import { canonical } from "#lib/platform/canonical.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { requireAdmin } from "#lib/platform/http/auth.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { ApiError, conflict, invalid, permissionDenied } from "#lib/platform/http/errors.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import { askingOf, carryOut, lapse, rehearse, requesterOf, sealedCalls } from "./apply.ts";
import { callOf, openCalls, sealCalls, shownCall } from "./calls.ts";
import type { changeRequestContract } from "./contract.ts";
import {
  answer,
  changing,
  found,
  isApplicable,
  isBlocked,
  isVote,
  mayVote,
  missing,
  note,
  type Part,
  recordOf,
  recordsOf,
  requirementOf,
  requireOpen,
  requireReadable,
  requireRequester,
  shownOf,
} from "./requests.ts";
import { putInLine } from "./schedule.ts";
import type { ChangeRequest, ProposedChange, RevisedChange } from "./schema.ts";
import {
  deleteVotes,
  insertRequest,
  insertReview,
  type RequestInsert,
  type RequestRow,
  type ReviewRow,
  selectRequests,
  selectReviews,
  updateRequest,
} from "./store.ts";

export { schedule } from "./schedule.ts";
export { who_changes, who_changes_groups, who_changes_people } from "./who-changes.ts";

type Of<Name extends keyof typeof changeRequestContract> = Input<(typeof changeRequestContract)[Name]>;

/** How long a request waits that no policy asked for. */
const LIFETIME_SECONDS = 14 * 86_400;

export async function list(context: CallingContext, { query }: Of<"list">) {
  const { state, requester, action_key, resource_type, resource_id, writes } = query;
  const filter = {
    project_id: context.project.id,
    states:
      state === undefined ? undefined : { in: state.split(",").map((each) => each.trim()), at: context.now },
    created_by_id: requester === "@me" ? context.user.id : requester,
    writes,
    action_key,
    resource_type,
    resource_id,
  };
  const { rows, total } = await selectRequests(context.db, filter, query);
  return { count: total, ...neighbours(context.url, query, total), results: await recordsOf(context, rows) };
}

export async function retrieve(context: CallingContext, { params }: Of<"retrieve">) {
  const row = await found(context, params.id);
  requireReadable(context, row);
  return recordOf(context, row);
}

/** The title of a request that was given none. */
function titleOf({ written, action_keys, entries }: Judged): string {
  // A flag may be written for an experiment, which is what people know; those of surveys nobody knows.
  const named = written
    .filter(({ resource, name }) =>
      resource === "cohort" ? written.length === 1 : !name.startsWith(SURVEY_FLAG_PREFIX),
    )
    .sort((a, b) => Number(a.resource === "feature_flag") - Number(b.resource === "feature_flag"));
  const names = named.map(({ name }) => name);
  const verb = verbOf(action_keys, {
    isCreation: entries.length > 0 && entries.every((each) => each.activity === "created"),
    isLaunch: named[0]?.resource === "survey" || named[0]?.resource === "experiment",
  });
  const more = names.length > 3 ? ` and ${names.length - 3} more` : "";
  return `${verb} ${names.slice(0, 3).join(", ")}${more}`;
}

/** @param of whether records are created, and whether what turns flags on or off is a survey or an experiment */
function verbOf(actionKeys: readonly string[], of: { isCreation: boolean; isLaunch: boolean }): string {
  if (of.isCreation) return "Create";
  if (actionKeys.includes("feature_flag.enable")) return of.isLaunch ? "Launch" : "Enable";
  if (actionKeys.includes("feature_flag.disable")) return of.isLaunch ? "Stop" : "Disable";
  return "Change";
}

/** A change that was judged, and which records each of its calls writes, by `resource/id`. */
type Rehearsed = { judged: Judged; written: string[][] };

/** What each call does, of what they do together. */
function partsOf({ judged, written }: Rehearsed): Part[] {
  const [before, after] = [judged.states.before, judged.states.after].map((states) =>
    worldOf(new Map(Object.entries(states))),
  );
  const changed = judged.impact.flags.map(({ id }) => id);
  return written.map((names) => {
    const named = new Set(names);
    const reached = [before, after].flatMap((world) => (world ? [...reachedFrom(world, named)] : []));
    const own = names.map((name) => Number(/^feature_flag\/(\d+)$/.exec(name)?.[1]));
    return { written: names, flags: changed.filter((id) => reached.includes(id) || own.includes(id)) };
  });
}

/** What is stored of a judged change. */
function valuesOf(context: CallingContext, calls: readonly Call[], rehearsed: Rehearsed, title: string) {
  const { judged } = rehearsed;
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
    shown: { ...judged, entries: [], parts: partsOf(rehearsed) },
    validated_at: context.now,
    updated_at: context.now,
    expires_at: new Date(
      context.now.getTime() + (judged.requirement?.expires_after_seconds ?? LIFETIME_SECONDS) * 1_000,
    ),
  } satisfies Partial<RequestInsert>;
}

/** Makes a request of a change that was judged. */
export async function makeRequest(
  context: CallingContext,
  calls: readonly Call[],
  rehearsed: Rehearsed,
  { title, description = "" }: { title?: string | undefined; description?: string } = {},
): Promise<ChangeRequest> {
  const { project, user, now } = context;
  const row = await inTransaction(context.db, async (tx) => {
    const made = await insertRequest(tx, {
      ...valuesOf(context, calls, rehearsed, title || titleOf(rehearsed.judged)),
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
    states: { in: ["pending", "approved"], at: now },
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

/** The calls of a revision: new ones, and those of the request that stay. */
function revisedCalls(context: CallingContext, row: RequestRow, changes: readonly RevisedChange[]): Call[] {
  const known = sealedCalls(context, row);
  return changes.map((change, at) => {
    if (!("keep" in change)) return callOf(context, change, at);
    const kept = known[change.keep];
    if (!kept) throw invalid("The request has no such change.", `changes__${at}__keep`);
    return kept;
  });
}

export async function create(context: CallingContext, { body }: Of<"create">) {
  const calls = callsOf(context, body.changes);
  return makeRequest(context, calls, await rehearse(context, calls, await askingOf(context)), body);
}

export async function partial_update(context: CallingContext, { params, body }: Of<"partial_update">) {
  const { changes, updated_at, ...texts } = body;
  const before = await found(context, params.id);
  requireRequester(before, context);
  requireOpen(before, context.now);
  if (updated_at !== undefined && updated_at !== instant(before.updated_at)) throw revisedMeanwhile();
  const calls = changes && revisedCalls(context, before, changes);
  const rehearsed = calls && (await rehearse(context, calls, await askingOf(context)));
  const row = await changing(context, params.id, async (tx, locked) => {
    const title = texts.title ?? locked.title;
    if (calls && locked.updated_at.getTime() !== before.updated_at.getTime()) throw revisedMeanwhile();
    if (calls) await deleteVotes(tx, locked.id);
    const after = await updateRequest(tx, locked.id, {
      updated_at: context.now,
      ...texts,
      ...(calls &&
        rehearsed && {
          ...valuesOf(context, calls, rehearsed, title),
          actor: actorOf(context),
          state: "pending" as const,
        }),
    });
    await note(tx, context, after, "updated");
    return after;
  });
  return recordOf(context, row);
}

const revisedMeanwhile = () => conflict("This change request has been changed meanwhile: read it again.");

const revisionNeeded = () => invalid("A reviewer requested changes, so it has to be revised first.");

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
  if (before.state === "approved") throw invalid("This change request has its approvals already.");
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
    ({ judged }) => findDrift(shownOf(before), judged),
    (error: unknown) => {
      if (error instanceof ApiError && error.status < 500 && error.status !== 429) return error.message;
      throw error;
    },
  );
  if (drift) return lapse(context, id, drift);
  const row = await review(context, id, "approved", body.reason, async (tx, voted, reviews) => {
    const isForLater = voted.apply_at !== null && voted.apply_at > context.now;
    if (!isForLater || missing(voted, reviews) > 0) return voted;
    const approved = await updateRequest(tx, id, { state: "approved", updated_at: context.now });
    await putInLine(tx, approved);
    return approved;
  });
  if (row.state === "approved")
    return answer(
      context,
      "scheduled",
      "The change is approved and will be applied at the scheduled time.",
      row,
    );
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
  const row = await review(context, params.id, "changes_requested", body.reason, (tx, { id }) =>
    updateRequest(tx, id, { state: "pending", updated_at: context.now }),
  );
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
