import type { Db } from "#lib/db/connect.ts";
import type { Link } from "./chain.ts";
import { type Coder, codesOf, pathOf } from "./coding.ts";
import { addResponses, changeLinks, codersOf } from "./ingest.ts";
import { lockSurveys, type SurveyScope, selectChainPage } from "./ingest_store.ts";
import {
  type Cursor,
  countCountDifferences,
  countDayDifferences,
  countLinkDifferences,
  countMomentDifferences,
  deleteSummaries,
  fillSummaries,
  selectArrivals,
  selectProjectIds,
  selectScopes,
} from "./rebuild_store.ts";

const PAGE = 2_000;

/** The responses of a survey, some at a time, every state of each. */
async function* chainsOf(db: Db, scope: SurveyScope): AsyncGenerator<Link[]> {
  for (let after: string | null = null; ; ) {
    const links: Link[] = await selectChainPage(db, scope, after, PAGE);
    const last = links.at(-1);
    if (!last) return;
    after = last.key;
    yield links;
  }
}

/** What the questions of a survey make of a response now. */
const codedBy = (coder: Coder) => (link: Link) => ({
  codes: codesOf(coder, link.answers),
  path: pathOf(coder, link.answers, link.completed),
});

/** How many states of responses have other codes or another path than the surveys' questions give them. */
async function countCodeDifferences(db: Db): Promise<number> {
  let count = 0;
  for (const scope of await selectScopes(db)) {
    const code = codedBy((await codersOf(db, [scope]))(scope));
    for await (const links of chainsOf(db, scope))
      for (const link of links) {
        const { codes, path } = code(link);
        if (codes.join("\u0000") !== link.codes.join("\u0000") || path.join() !== link.path.join())
          count += 1;
      }
  }
  return count;
}

/** What is kept of surveys' answers, and in how many rows it differs from the events. */
export async function countSurveyDifferences(db: Db): Promise<{ rollup: string; differences: number }[]> {
  const states = (await countLinkDifferences(db)) + (await countCodeDifferences(db));
  return [
    { rollup: "survey_responses", differences: states },
    { rollup: "survey_person_days", differences: await countDayDifferences(db) },
    { rollup: "survey_counts", differences: await countCountDifferences(db) },
    { rollup: "survey_moments", differences: await countMomentDifferences(db) },
  ];
}

/** Makes what is kept of surveys' answers anew from the events; writers must wait meanwhile. */
export async function rewriteSurveys(tx: Db): Promise<void> {
  await deleteSummaries(tx);
  for (const projectId of await selectProjectIds(tx))
    for (let cursor: Cursor | null = null, more = true; more; more = cursor !== null) {
      const page: Awaited<ReturnType<typeof selectArrivals>> = await selectArrivals(
        tx,
        projectId,
        "survey sent",
        cursor,
        PAGE,
      );
      await addResponses(tx, page.arrivals);
      cursor = page.next;
    }
  await fillSummaries(tx);
}

/**
 * Reads the answers to a survey anew after its questions were changed (or deleted), in the same transaction: their
 * codes and the paths follow the questions as they are.
 */
export async function recodeSurvey(tx: Db, scope: SurveyScope): Promise<void> {
  await lockSurveys(tx, [scope]);
  const code = codedBy((await codersOf(tx, [scope]))(scope));
  for await (const links of chainsOf(tx, scope)) await changeLinks(tx, links, code);
}
