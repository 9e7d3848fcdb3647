import { setTimeout as delay } from "node:timers/promises";
import type { Work } from "#lib/notifications/context.ts";
import { log } from "#lib/platform/log.ts";
import { counter } from "#lib/platform/metrics.ts";
import { ATTEMPTS_MAX, nextAttempt } from "./retries.ts";
import { type Attempt, send } from "./send.ts";
import {
  claimDestinations,
  type DestinationRow,
  expireDeliveries,
  releaseClaim,
  renewClaim,
  type Sent,
  selectDueDeliveries,
  updateDeliveries,
} from "./store.ts";

const attempts = counter(
  "notification_attempts_total",
  "Attempts to deliver notifications, by kind of destination and outcome.",
  ["kind", "outcome"],
);

/** Destinations that one process sends to at once. */
const AT_ONCE = 20;
/** Messages for one destination before others get a turn. */
const TURN_MAX = 50;
/** Messages of one digest. */
export const DIGEST_MAX = 500;
/** An attempt takes ten seconds at most. */
const CLAIM_MS = 60_000;
const LOOK_MS = 500;

export type Clock = () => Date;

/** What is sent together: one message, or everything of a digest. */
function nextBatch(due: readonly Sent[]): readonly Sent[] {
  const [first] = due;
  if (!first?.delivery.digest) return due.slice(0, 1);
  return due.filter(({ delivery }) => delivery.digest);
}

/** Notes what became of an attempt. */
async function note(
  { db }: Pick<Work, "db">,
  batch: readonly Sent[],
  { outcome, answer, error }: Attempt,
  now: Date,
): Promise<void> {
  for (const { delivery } of batch) {
    const tried = delivery.attempts + 1;
    const isOver = outcome === "gone" || tried >= ATTEMPTS_MAX || delivery.expires_at <= now;
    const state = outcome === "delivered" ? "delivered" : isOver ? "dead" : "waiting";
    await updateDeliveries(db, [delivery.id], {
      state,
      attempts: tried,
      attempted_at: now,
      response_status: answer?.status ?? null,
      response_body: answer?.body ?? null,
      error,
      ...(state === "waiting" ? { next_at: nextAttempt(tried, now) } : { ended_at: now }),
    });
  }
}

/**
 * Sends what is due for one destination, one after another. Where nobody is there, the rest waits with the first
 * message, so that they arrive in order; a message that alone is refused is tried again later by itself.
 */
async function deliverTo(work: Work, claimed: DestinationRow, clock: Clock, signal: AbortSignal) {
  const { db } = work;
  let destination = claimed;
  let known: Parameters<typeof releaseClaim>[2] = {};
  for (let sent = 0; sent < TURN_MAX && !signal.aborted; sent += 1) {
    const now = clock();
    const due = await selectDueDeliveries(db, destination.id, { now, limit: DIGEST_MAX });
    const batch = nextBatch(due);
    const [first] = batch;
    const until = new Date(now.getTime() + CLAIM_MS);
    if (!first || !(await renewClaim(db, destination, until))) break;
    destination = { ...destination, claimed_until: until };
    const attempt = await send(work, destination, {
      id: `msg_${first.message.id}`,
      payloads: batch.map(({ message }) => message.payload),
      now,
    });
    attempts(destination.kind, attempt.outcome).count += 1;
    const ended = clock();
    await note(work, batch, attempt, ended);
    if (attempt.outcome === "delivered") known = { failures: 0, blocked_until: null, delivered_at: ended };
    if (attempt.outcome !== "away") continue;
    const failures = (known.failures ?? destination.failures) + 1;
    await expireDeliveries(db, destination.id, { now: ended, error: attempt.error ?? "" });
    known = { ...known, failures, blocked_until: nextAttempt(failures, ended) };
    break;
  }
  await releaseClaim(db, destination.id, known);
}

/**
 * Sends everything that is due, to many destinations at once: one that is slow or away delays no other. Several
 * processes may do so at the same time.
 *
 * @param arriving puts what has happened meanwhile in line; called again while something is on its way
 */
export async function deliverDue(
  work: Work,
  { clock, signal, arriving }: { clock: Clock; signal: AbortSignal; arriving: () => Promise<void> },
): Promise<void> {
  const underWay = new Set<Promise<void>>();
  do {
    await arriving();
    const now = clock();
    const limit = AT_ONCE - underWay.size;
    const claimed =
      limit > 0
        ? await claimDestinations(work.db, { now, until: new Date(now.getTime() + CLAIM_MS), limit })
        : [];
    for (const destination of claimed) {
      const sending: Promise<void> = deliverTo(work, destination, clock, signal)
        .catch((error: unknown) => {
          log().warn({ error, destination: destination.id }, "A destination is left to its claim.");
        })
        .finally(() => underWay.delete(sending));
      underWay.add(sending);
    }
    if (underWay.size > 0 && claimed.length === 0)
      await Promise.race([...underWay, delay(LOOK_MS, undefined, { ref: false })]);
    if (claimed.length > 0) await Promise.race(underWay);
  } while (underWay.size > 0 && !signal.aborted);
  await Promise.allSettled(underWay);
}
