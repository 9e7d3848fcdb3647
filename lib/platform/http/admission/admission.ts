import { type Caller, createFairQueue } from "#lib/platform/fair-queue.ts";
import { unavailable } from "#lib/platform/http/errors.ts";
import { counter } from "#lib/platform/metrics.ts";

/** What a request is for, the most urgent first: SDKs wait for flags while somebody looks at a page. */
export const URGENCIES = ["evaluation", "management", "ingest"] as const;

export type Urgency = (typeof URGENCIES)[number];

/** Requests are begun for so long before the event loop gets to see what else has arrived. */
const SLICE_MS = 3;
/** Of the requests that had to wait, at most so many of an urgency begin in a turn of the event loop. */
const MOST_IN_A_TURN = 50;
/** Who has waited longer than this is refused: its client has better things to do, and may come again. */
const LONGEST_WAIT_MS: Record<Urgency, number> = { evaluation: 2_000, management: 1_500, ingest: 1_000 };
/** Requests that may wait at the same time, of one caller and of all. */
const CALLER_WAITING = 2_000;
const ALL_WAITING = 10_000;
/**
 * Calls of the management API that are under way at the same time, of one caller and of all. They share the connections
 * to the database, and what they do between two answers of it delays everybody.
 */
const CALLER_UNDER_WAY = 8;
const ALL_UNDER_WAY = 32;
/** Beside evaluations, one of each of these begins in one turn of the event loop and the next: the less urgent ones are not forgotten. */
const TURNS: readonly (readonly Urgency[])[] = [["management"], ["management", "ingest"]];

type Waiting = { caller: Caller; since: number; begin: () => void; refuse: (error: Error) => void };

const refusals = counter("admission_refused_total", "Requests refused because the process cannot keep up.", [
  "urgency",
]);

function overloaded(urgency: Urgency): Error {
  refusals(urgency).count += 1;
  return unavailable("The server has more requests than it can answer.");
}

/** What is under way of each caller. */
function createUnderWay() {
  const callers = new Map<Caller, number>();
  let all = 0;
  const add = (caller: Caller, change: 1 | -1) => {
    const own = (callers.get(caller) ?? 0) + change;
    all += change;
    if (own > 0) callers.set(caller, own);
    else callers.delete(caller);
  };
  return {
    hasRoomFor: (caller: Caller) => all < ALL_UNDER_WAY && (callers.get(caller) ?? 0) < CALLER_UNDER_WAY,
    add,
  };
}

/**
 * Decides when each request of a process begins. As long as the process keeps up, at once. When it does not, the most
 * urgent ones begin first and callers take turns, so that nobody waits behind another one's flood; who would wait too
 * long is refused.
 *
 * @param now milliseconds of a clock that only moves forward
 */
export function createAdmission(now: () => number = () => performance.now()) {
  const underWay = createUnderWay();
  const queues = {
    evaluation: createFairQueue<Waiting>(),
    management: createFairQueue<Waiting>(),
    ingest: createFairQueue<Waiting>(),
  };
  let waiting = 0;
  let sliceBegan: number | null = null;
  let isPumping = false;
  let turns = 0;

  /** Whether this turn of the event loop has time for another request. */
  const hasTime = (at: number): boolean => {
    if (sliceBegan === null) {
      sliceBegan = at;
      setImmediate(() => {
        sliceBegan = null;
      });
    }
    return at - sliceBegan < SLICE_MS;
  };

  /** Whether no request that is as urgent, or more, is waiting. */
  const isNext = (urgency: Urgency): boolean =>
    URGENCIES.slice(0, URGENCIES.indexOf(urgency) + 1).every((each) => queues[each].length === 0);

  /** Begins the next request of an urgency that may begin. @returns whether there was one */
  const beginNext = (urgency: Urgency): boolean => {
    const mayBegin = urgency === "management" ? underWay.hasRoomFor : undefined;
    for (let next = queues[urgency].take(mayBegin); next; next = queues[urgency].take(mayBegin)) {
      waiting -= 1;
      if (now() - next.since <= LONGEST_WAIT_MS[urgency]) {
        if (urgency === "management") underWay.add(next.caller, 1);
        next.begin();
        return true;
      }
      next.refuse(overloaded(urgency));
    }
    return false;
  };

  /**
   * Begins requests in the next turn of the event loop: evaluations for a slice but at least one, one of each other urgency
   * whose turn it is, and more events in what is left of the slice when nothing else waits. Each begins in a callback of
   * its own, because its work is done between two of them: then the event loop drains promises, and the clock tells how
   * long that took.
   */
  const pumpLater = (): void => {
    if (isPumping || waiting === 0) return;
    isPumping = true;
    turns += 1;
    const due = TURNS[turns % TURNS.length] ?? [];
    const evaluations = Math.min(queues.evaluation.length, MOST_IN_A_TURN);
    const ingests = Math.min(queues.ingest.length, MOST_IN_A_TURN);
    let until = 0;
    const hasTimeLeft = () => now() < until;
    let hasBegun = false;
    const beginIn = (urgency: Urgency) => {
      if (beginNext(urgency)) hasBegun = true;
    };
    setImmediate(() => {
      until = now() + SLICE_MS;
    });
    // The slice may be over before the first one: the system can take the processor away at any time.
    for (let i = 0; i < evaluations; i++)
      setImmediate(() => (i === 0 || hasTimeLeft()) && beginIn("evaluation"));
    for (const urgency of due) setImmediate(() => beginIn(urgency));
    const ingestIsAlone = () => waiting === queues.ingest.length;
    for (let i = 0; i < ingests; i++)
      setImmediate(() => hasTimeLeft() && ingestIsAlone() && beginIn("ingest"));
    setImmediate(() => {
      isPumping = false;
      // Calls of those who have enough under way wait until one of these ends; that pumps again.
      if (hasBegun || waiting > queues.management.length) pumpLater();
    });
  };

  const begin = async (urgency: Urgency, caller: Caller): Promise<void> => {
    const at = now();
    const isManaged = urgency === "management";
    if (isNext(urgency) && hasTime(at) && !(isManaged && !underWay.hasRoomFor(caller))) {
      if (isManaged) underWay.add(caller, 1);
      return;
    }
    if (waiting >= ALL_WAITING || queues[urgency].lengthOf(caller) >= CALLER_WAITING)
      throw overloaded(urgency);
    const turn = new Promise<void>((resolve, refuse) => {
      queues[urgency].push(caller, { caller, since: at, begin: resolve, refuse });
    });
    waiting += 1;
    pumpLater();
    await turn;
  };

  return {
    /** How many requests wait. */
    waiting: (urgency: Urgency): number => queues[urgency].length,
    /**
     * Resolves when a request may begin.
     *
     * @param caller whoever is to have a fair share
     * @throws ApiError 503 when it had to wait too long, or too many are waiting
     */
    toBegin: (urgency: Exclude<Urgency, "management">, caller: Caller) => begin(urgency, caller),
    /** Does what a call of the management API asks for, when it is its turn; throws as `toBegin` does. */
    async manage<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
      await begin("management", caller);
      try {
        return await work();
      } finally {
        underWay.add(caller, -1);
        pumpLater();
      }
    },
  };
}

export type Admission = ReturnType<typeof createAdmission>;
