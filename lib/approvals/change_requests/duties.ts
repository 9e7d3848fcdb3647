import type { Db } from "#lib/platform/db/connect.ts";
import { isBlocked, isOpen, isVote, mayVote, missing } from "./requests.ts";
import { type RequestRow, type ReviewRow, selectOpenOrFailed, selectReviews } from "./store.ts";

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
  // It waits for nobody, but for its moment.
  if (row.state === "approved") return null;
  if (!isOpen(row, now)) return isRequester ? "propose_again" : null;
  if (isBlocked(reviews)) return isRequester ? "revise" : null;
  if (missing(row, reviews) === 0) return isRequester ? "apply" : null;
  const hasVoted = reviews.some((review) => isVote(review) && review.created_by_id === user_id);
  return !hasVoted && mayVote(row, user_id) ? "review" : null;
}
