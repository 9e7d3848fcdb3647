import { z } from "zod";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { ApiError } from "#lib/platform/http/errors.ts";
import { defineJob } from "#lib/platform/jobs/define.ts";
import { enqueue, readJobState } from "#lib/platform/jobs/queue.ts";
import type { JobContext } from "#lib/platform/jobs/work.ts";
import type { SurveyAnswers } from "#lib/surveys/context.ts";
import {
  type Coder,
  codingFingerprint,
  encodeAnswers,
  tracePath,
} from "#lib/surveys/results/ingest/answer-codes.ts";
import { changeStates, loadCoders } from "#lib/surveys/results/ingest/ingest.ts";
import {
  holdRebuilds,
  lockSurveys,
  type SurveyScope,
  selectHasResponses,
  selectHistoryPage,
} from "#lib/surveys/results/ingest/ingest-store.ts";
import type { ResponseState } from "#lib/surveys/results/ingest/response-history.ts";
import { withRecords } from "#lib/surveys/surveys/questions/choices.ts";
import type { SurveyRow } from "#lib/surveys/surveys/store.ts";
import { selectSpan } from "./results-store.ts";

const NAME = "surveys.recode";
/** Responses per page. */
const PAGE = 2_000;
/** Up to this number of responses, answers are read again in the request that changes the questions. */
const AT_ONCE = 4_000;

/** The response histories of a survey, page by page. */
export async function* readHistories(db: Db, scope: SurveyScope): AsyncGenerator<ResponseState[]> {
  for (let after: string | null = null; ; ) {
    const states: ResponseState[] = await selectHistoryPage(db, scope, after, PAGE);
    const last = states.at(-1);
    if (!last) return;
    after = last.key;
    yield states;
  }
}

/** Encodes a response by the current questions. */
export const encodeWith = (coder: Coder) => (state: ResponseState) => ({
  codes: encodeAnswers(coder, state.answers, state.at),
  path: tracePath(coder, state.answers, state.completed, state.at),
});

const keyOf = ({ project_id, survey_id }: SurveyScope) => `${project_id} ${survey_id}`;

type JobOf = JobContext<SurveyScope>;

/** Encodes a page of answers again, in its own transaction. @returns the last key; null past the end */
async function recodePage({ db, payload: scope }: JobOf, after: string | null): Promise<string | null> {
  return inTransaction(db, async (tx) => {
    await holdRebuilds(tx);
    await lockSurveys(tx, [scope]);
    const states = await selectHistoryPage(tx, scope, after, PAGE);
    await changeStates(tx, states, encodeWith((await loadCoders(tx, [scope]))(scope)));
    return states.at(-1)?.key ?? null;
  });
}

/** Encodes all answers to a survey by its current questions, page by page; figures wait for it. */
export const recodeAnswers = defineJob({
  name: NAME,
  payload: z.object({ project_id: z.number(), survey_id: z.string() }),
  run: async (context) => {
    const { answered: responses } = await selectSpan(context.db, context.payload);
    let after: string | null = null;
    for (let done = 0; ; done += PAGE) {
      context.signal.throwIfAborted();
      await context.report(Math.min(done, responses), responses);
      after = await recodePage(context, after);
      if (after === null) return;
    }
  },
});

/**
 * Encodes the answers to a survey again after its questions changed (or were deleted), in the same
 * transaction: codes and paths follow the current questions. Few are encoded at once, many by a job.
 *
 * @param atOnce responses up to which they count as few
 */
export async function recodeSurvey(tx: Db, scope: SurveyScope, atOnce = AT_ONCE): Promise<void> {
  await lockSurveys(tx, [scope]);
  const { answered: responses } = await selectSpan(tx, scope);
  if (responses > atOnce) return enqueue(tx, recodeAnswers, keyOf(scope), scope);
  const code = encodeWith((await loadCoders(tx, [scope]))(scope));
  for await (const states of readHistories(tx, scope)) await changeStates(tx, states, code);
}

/** Progress of encoding the answers by changed questions; null if done. */
async function recodingOf(
  db: Db,
  scope: SurveyScope,
): Promise<{ done: number; total: number; failed: boolean } | null> {
  const job = await readJobState(db, NAME, keyOf(scope));
  if (!job || job.state === "done") return null;
  return { done: job.done, total: job.total, failed: job.state === "failed" };
}

/** Refuses figures that were counted by other questions. @throws ApiError 503 while answers are read again */
export async function refuseWhileRecoding(db: Db, scope: SurveyScope): Promise<void> {
  const recoding = await recodingOf(db, scope);
  if (!recoding) return;
  const share = recoding.total > 0 ? Math.floor((100 * recoding.done) / recoding.total) : 0;
  const detail = recoding.failed
    ? "The answers could not be recounted for the changed questions. Run `npm run verify -- --repair` to rebuild the figures."
    : `The questions changed: recounting the answers, ${share}% done.`;
  throw new ApiError(503, "server_error", "recomputing", detail, { headers: { "Retry-After": "5" } });
}

const codingFingerprintOf = ({ questions, choice_history }: SurveyRow) =>
  codingFingerprint(withRecords(questions ?? [], choice_history));

export const surveyAnswers: SurveyAnswers = {
  exist: (tx, { project_id, id }) => selectHasResponses(tx, { project_id, survey_id: id }),
  async follow(tx, before, after) {
    if (after && codingFingerprintOf(after) === codingFingerprintOf(before)) return;
    await recodeSurvey(tx, { project_id: before.project_id, survey_id: before.id });
  },
};
