import type { Db } from "#lib/db/connect.ts";
import { addResponses, codersOf } from "./ingest.ts";
import {
  type Cursor,
  countCountDifferences,
  countDayDifferences,
  countDurationDifferences,
  countLinkDifferences,
  countMomentDifferences,
  deleteSummaries,
  fillSummaries,
  selectArrivals,
  selectProjectIds,
  selectScopes,
} from "./rebuild_store.ts";
import { chainsOf, codedBy } from "./recode.ts";

const PAGE = 2_000;

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
    { rollup: "survey_durations", differences: await countDurationDifferences(db) },
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
