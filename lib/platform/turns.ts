import { throttled } from "#lib/platform/http/errors.ts";

/** A place in the queue for work that takes long. */
export type Turn = {
  /** Resolves when it may begin; false where its place was given up before. */
  readonly begins: Promise<boolean>;
  /** Gives up a place that is still waiting. */
  readonly leave: () => void;
  /** Lets the next one begin. */
  readonly end: () => void;
};

type Place = { of: number; state: "waiting" | "running" | "over"; begin: (may: boolean) => void };

/** How long a caller should leave us alone when too many are waiting already. */
const RETRY_SECONDS = 5;

/**
 * Lets one computation of a project run at a time, and only some of them all, in the order in which they came.
 *
 * @param waitingMax how many of one project may wait
 * @returns a function that takes a turn for a project
 * @throws ApiError 429 from that function when too many are waiting
 */
export function createTurns({ atOnce, waitingMax }: { atOnce: number; waitingMax: number }) {
  const running = new Set<number>();
  const queue: Place[] = [];
  const beginNext = (): void => {
    while (running.size < atOnce) {
      const at = queue.findIndex(({ of }) => !running.has(of));
      const [next] = at < 0 ? [] : queue.splice(at, 1);
      if (!next) return;
      next.state = "running";
      running.add(next.of);
      next.begin(true);
    }
  };
  return (of: number): Turn => {
    if (queue.filter((place) => place.of === of).length >= waitingMax) throw throttled(RETRY_SECONDS);
    const { promise: begins, resolve: begin } = Promise.withResolvers<boolean>();
    const place: Place = { of, state: "waiting", begin };
    queue.push(place);
    beginNext();
    const leave = (): void => {
      if (place.state !== "waiting") return;
      place.state = "over";
      queue.splice(queue.indexOf(place), 1);
      begin(false);
    };
    const end = (): void => {
      leave();
      if (place.state === "over") return;
      place.state = "over";
      running.delete(of);
      beginNext();
    };
    return { begins, leave, end };
  };
}

/** Does some work when its turn begins. */
export async function inTurn<T>(turn: Turn, work: () => Promise<T>): Promise<T> {
  try {
    await turn.begins;
    return await work();
  } finally {
    turn.end();
  }
}

export type Turns = ReturnType<typeof createTurns>;
