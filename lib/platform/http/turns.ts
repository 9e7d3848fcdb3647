import { unavailable } from "./errors.ts";

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
/** Which urgency has precedence, from one request to the next: the less urgent ones are not forgotten. */
const PRECEDENCE = ["evaluation", "evaluation", "management", "evaluation", "evaluation", "ingest"] as const;

type Waiting = { since: number; begin: () => void; refuse: (error: Error) => void };

const overloaded = () => unavailable("The server has more requests than it can answer.");

/** Requests of one urgency. Those of a caller leave in the order in which they came; callers take turns. */
function createQueue() {
  /** By caller, in the order of their turns; none is empty. */
  const callers = new Map<string | number, Waiting[]>();
  return {
    get isEmpty() {
      return callers.size === 0;
    },
    lengthOf: (caller: string | number) => callers.get(caller)?.length ?? 0,
    push(caller: string | number, waiting: Waiting): void {
      const own = callers.get(caller);
      if (own) own.push(waiting);
      else callers.set(caller, [waiting]);
    },
    take(): Waiting | undefined {
      const [next] = callers;
      if (!next) return undefined;
      const [caller, own] = next;
      const taken = own.shift();
      callers.delete(caller);
      if (own.length > 0) callers.set(caller, own);
      return taken;
    },
  };
}

/**
 * Decides when each request of a process begins. As long as the process keeps up, at once. When it does not, the most
 * urgent ones begin first and callers take turns, so that nobody waits behind another one's flood; who would wait too
 * long is refused.
 *
 * @param now milliseconds of a clock that only moves forward
 * @returns resolves when a request may begin; `caller` is whoever is to have a fair share
 * @throws ApiError 503 when it had to wait too long, or too many are waiting
 */
export function createTurns(now: () => number = () => performance.now()) {
  const queues = { evaluation: createQueue(), management: createQueue(), ingest: createQueue() };
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
    const urgency = [preferred, ...URGENCIES].find((name) => !queues[name].isEmpty);
    const next = urgency && queues[urgency].take();
    if (!next) return undefined;
    waiting -= 1;
    return [next, urgency];
  };

  /** Begins one request, whose work is then done before the next call: the event loop drains promises in between. */
  const pump = (): void => {
    for (let taken = take(); taken; taken = take()) {
      const [next, urgency] = taken;
      if (now() - next.since > LONGEST_WAIT_MS[urgency]) next.refuse(overloaded());
      else {
        next.begin();
        break;
      }
    }
    isPumping = waiting > 0;
    if (isPumping) setImmediate(pump);
  };

  return async (urgency: Urgency, caller: string | number): Promise<void> => {
    const at = now();
    if (waiting === 0 && hasTime(at)) return;
    if (waiting >= ALL_WAITING || queues[urgency].lengthOf(caller) >= CALLER_WAITING) throw overloaded();
    const turn = new Promise<void>((begin, refuse) => {
      queues[urgency].push(caller, { since: at, begin, refuse });
    });
    waiting += 1;
    if (!isPumping) {
      isPumping = true;
      setImmediate(pump);
    }
    await turn;
  };
}

export type Turns = ReturnType<typeof createTurns>;
