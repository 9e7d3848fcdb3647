import { z } from "zod";
import { type Db, inTransaction } from "#lib/db/connect.ts";
import { ApiError } from "#lib/http/errors.ts";
import { defineJob, type JobContext } from "#lib/jobs/define.ts";
import { enqueue, jobState } from "#lib/jobs/queue.ts";
import type { Link } from "./chain.ts";
import { type Coder, codesOf, pathOf } from "./coding.ts";
import { selectExpected } from "./columns_store.ts";
import { changeLinks, codersOf } from "./ingest.ts";
import {
  deleteOldChanges,
  holdRebuilds,
  lockSurveys,
  type SurveyScope,
  selectChainPage,
  selectHasResponses,
} from "./ingest_store.ts";

const NAME = "surveys.recode";
/** Responses of a page. */
const PAGE = 2_000;
/** Responses up to which answers are read anew in the request that changes the questions. */
const AT_ONCE = 4_000;

/** The responses of a survey, some at a time, every state of each. */
export async function* chainsOf(db: Db, scope: SurveyScope): AsyncGenerator<Link[]> {
  for (let after: string | null = null; ; ) {
    const links: Link[] = await selectChainPage(db, scope, after, PAGE);
    const last = links.at(-1);
    if (!last) return;
    after = last.key;
    yield links;
  }
}

/** What the questions of a survey make of a response now. */
export const codedBy = (coder: Coder) => (link: Link) => ({
  codes: codesOf(coder, link.answers, link.at),
  path: pathOf(coder, link.answers, link.completed, link.at),
});

export { selectHasResponses as hasAnswers };

const keyOf = ({ project_id, survey_id }: SurveyScope) => `${project_id} ${survey_id}`;

type JobOf = JobContext<SurveyScope>;

/** Reads a page of answers anew, in a transaction of its own. @returns the last key; null past the end */
async function recodePage({ db, payload: scope }: JobOf, after: string | null): Promise<string | null> {
  return inTransaction(db, async (tx) => {
    await holdRebuilds(tx);
    await lockSurveys(tx, [scope]);
    const links = await selectChainPage(tx, scope, after, PAGE);
    await changeLinks(tx, links, codedBy((await codersOf(tx, [scope]))(scope)));
    return links.at(-1)?.key ?? null;
  });
}

/** Reads all answers to a survey anew by its questions as they are, a page at a time; figures wait for it. */
export const recodeAnswers = defineJob({
  name: NAME,
  payload: z.object({ project_id: z.number(), survey_id: z.string() }),
  run: async (context) => {
    const { responses } = await selectExpected(context.db, context.payload);
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
 * Has the answers to a survey read anew after its questions were changed (or deleted), in the same transaction:
 * their codes and the paths follow the questions as they are. Few are read at once, many by a job.
 *
 * @param atOnce responses up to which they count as few
 */
export async function recodeSurvey(tx: Db, scope: SurveyScope, atOnce = AT_ONCE): Promise<void> {
  await lockSurveys(tx, [scope]);
  const { responses } = await selectExpected(tx, scope);
  if (responses > atOnce) return enqueue(tx, recodeAnswers, keyOf(scope), scope);
  const code = codedBy((await codersOf(tx, [scope]))(scope));
  for await (const links of chainsOf(tx, scope)) await changeLinks(tx, links, code);
}

/** How far the answers to a survey are read by its changed questions; null where they all are. */
export async function recodingOf(
  db: Db,
  scope: SurveyScope,
): Promise<{ done: number; total: number; failed: boolean } | null> {
  const job = await jobState(db, NAME, keyOf(scope));
  if (!job || job.state === "done") return null;
  return { done: job.done, total: job.total, failed: job.state === "failed" };
}

/** Nothing is shown that was counted by other questions. @throws ApiError 503 while answers are read anew */
export async function refuseWhileRecoding(db: Db, scope: SurveyScope): Promise<void> {
  const recoding = await recodingOf(db, scope);
  if (!recoding) return;
  const share = recoding.total > 0 ? Math.floor((100 * recoding.done) / recoding.total) : 0;
  const detail = recoding.failed
    ? "The answers could not be read by the changed questions. `npm run verify -- --repair` makes the figures anew."
    : `The questions were changed: the answers are being read by them, ${share} % done.`;
  throw new ApiError(503, "server_error", "recomputing", detail, { headers: { "Retry-After": "5" } });
}

const HOUR_MS = 3_600_000;

/** Deletes notes of changes that nobody follows any more. */
export const forgetChanges = defineJob({
  name: "surveys.forget_changes",
  every: HOUR_MS,
  run: ({ db, now }) => deleteOldChanges(db, new Date(now.getTime() - 24 * HOUR_MS)),
});
