import { unavailable } from "#lib/platform/http/errors.ts";
import { counter } from "#lib/platform/metrics.ts";

/** What a request is for, the most urgent first: SDKs wait for flags while somebody looks at a page. */
export const URGENCIES = ["evaluation", "management", "ingest"] as const;

export type Urgency = (typeof URGENCIES)[number];

/** Requests are begun for so long before the event loop gets to see what else has arrived. */
const SLICE_MS = 5;
/** Who has waited longer than this is refused: its client has better things to do, and may come again. */
const LONGEST_WAIT_MS: Record<Urgency, number> = { evaluation: 2_000, management: 1_000, ingest: 500 };
/** Requests that may wait at the same time, of one caller and of all. */
const CALLER_WAITING = 2_000;
const ALL_WAITING = 10_000;
/**
 * Calls of the management API that are under way at the same time, of one caller and of all. They share the connections
 * to the database, and what they do between two answers of it delays everybody.
 */
const CALLER_UNDER_WAY = 8;
const ALL_UNDER_WAY = 32;
/** Which urgency has precedence, from one request to the next: the less urgent ones are not forgotten. */
const PRECEDENCE = ["evaluation", "evaluation", "management", "evaluation", "evaluation", "ingest"] as const;

type Caller = string | number;
type Waiting = { caller: Caller; since: number; begin: () => void; refuse: (error: Error) => void };

const refusals = counter("admission_refused_total", "Requests refused because the process cannot keep up.", [
  "urgency",
]);

function overloaded(urgency: Urgency): Error {
  refusals(urgency).count += 1;
  return unavailable("The server has more requests than it can answer.");
}

/** Requests of one urgency. Those of a caller leave in the order in which they came; callers take turns. */
function createQueue(mayBegin: (caller: Caller) => boolean) {
  /** By caller, in the order of their turns; none is empty. */
  const callers = new Map<Caller, Waiting[]>();
  let length = 0;
  return {
    get length() {
      return length;
    },
    lengthOf: (caller: Caller) => callers.get(caller)?.length ?? 0,
    push(caller: Caller, waiting: Waiting): void {
      const own = callers.get(caller);
      if (own) own.push(waiting);
      else callers.set(caller, [waiting]);
      length += 1;
    },
    take(): Waiting | undefined {
      for (const [caller, own] of callers) {
        if (!mayBegin(caller)) continue;
        const taken = own.shift();
        callers.delete(caller);
        if (own.length > 0) callers.set(caller, own);
        length -= 1;
        return taken;
      }
      return undefined;
    },
  };
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
  const always = () => true;
  const queues = {
    evaluation: createQueue(always),
    management: createQueue(underWay.hasRoomFor),
    ingest: createQueue(always),
  };
  let waiting = 0;
  let sliceBegan: number | null = null;
  let begun = 0;
  let isPumping = false;

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

  const take = (): [Waiting, Urgency] | undefined => {
    begun += 1;
    const preferred = PRECEDENCE[begun % PRECEDENCE.length] ?? "evaluation";
    for (const urgency of [preferred, ...URGENCIES]) {
      const next = queues[urgency].take();
      if (!next) continue;
      waiting -= 1;
      return [next, urgency];
    }
    return undefined;
  };

  /** Begins one request, whose work is then done before the next call: the event loop drains promises in between. */
  const pump = (): void => {
    isPumping = false;
    for (let taken = take(); taken; taken = take()) {
      const [next, urgency] = taken;
      if (now() - next.since <= LONGEST_WAIT_MS[urgency]) {
        if (urgency === "management") underWay.add(next.caller, 1);
        next.begin();
        pumpLater();
        return;
      }
      next.refuse(overloaded(urgency));
    }
  };
  const pumpLater = (): void => {
    if (isPumping || waiting === 0) return;
    isPumping = true;
    setImmediate(pump);
  };

  const begin = async (urgency: Urgency, caller: Caller): Promise<void> => {
    const at = now();
    const isManaged = urgency === "management";
    if (waiting === 0 && hasTime(at) && !(isManaged && !underWay.hasRoomFor(caller))) {
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
