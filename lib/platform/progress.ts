import { asDatabaseUnavailable } from "#lib/platform/db/errors.ts";
import { ApiError, type ErrorBody, unavailable } from "#lib/platform/http/errors.ts";
import { asksForProgress, LINES, type ProgressLine } from "#lib/platform/http/progress-schema.ts";
import { log } from "#lib/platform/log.ts";
import { inTurn, type Turn } from "./turns.ts";

/** How far a count is; its answer so far is made when it is needed. */
export type Progress<T> = { seen: number; of: number | null; answer: () => T };

/** How often progress is reported. */
const REPORTED_EVERY_MS = 100;

/**
 * Answers with what a count finds: as data when it is done, or in lines while it goes on, if that is asked for.
 *
 * @param count begins it, when its turn comes, and says how far it is now and then. Where nobody listens any more it
 *   is not asked to go on
 */
export async function answerWithProgress<T>(
  headers: Headers,
  turn: Turn,
  count: () => AsyncGenerator<Progress<T>>,
): Promise<T | Response> {
  return asksForProgress(headers) ? inLines(turn, count) : inTurn(turn, () => whenDone(count));
}

async function whenDone<T>(count: () => AsyncGenerator<Progress<T>>): Promise<T> {
  let last: Progress<T> | undefined;
  for await (const progress of count()) last = progress;
  if (!last) throw new Error("A count ended without an answer.");
  return last.answer();
}

function inLines<T>(turn: Turn, count: () => AsyncGenerator<Progress<T>>): Response {
  const encoder = new TextEncoder();
  let isLeft = false;
  const tell = async (send: (line: ProgressLine<T>) => void): Promise<void> => {
    if (!(await turn.begins)) return;
    let last: Progress<T> | undefined;
    let reported = Number.NEGATIVE_INFINITY;
    for await (const progress of count()) {
      if (isLeft) return;
      last = progress;
      if (performance.now() - reported < REPORTED_EVERY_MS) continue;
      reported = performance.now();
      send({ done: false, seen: progress.seen, of: progress.of, answer: progress.answer() });
    }
    if (last) send({ done: true, answer: last.answer() });
  };
  const body = new ReadableStream<Uint8Array>({
    // Not as fast as it is read: a reader that stalls would keep others waiting for their turn.
    async start(controller) {
      const send = (line: ProgressLine<T>): void => {
        if (!isLeft) controller.enqueue(encoder.encode(`${JSON.stringify(line)}\n`));
      };
      void tell(send)
        .catch((error: unknown) => send({ error: bodyOf(error) }))
        .finally(() => {
          turn.end();
          if (!isLeft) controller.close();
        });
    },
    cancel() {
      isLeft = true;
      // Of a count under way, the turn ends when it has stopped.
      turn.leave();
    },
  });
  return new Response(body, { headers: { "content-type": LINES, "cache-control": "no-store" } });
}

function bodyOf(error: unknown): ErrorBody {
  if (error instanceof ApiError) return error.body;
  const away = asDatabaseUnavailable(error);
  if (!away) log().error({ error }, "A count broke off.");
  return unavailable(away?.message ?? "The count broke off. Try again.").body;
}
