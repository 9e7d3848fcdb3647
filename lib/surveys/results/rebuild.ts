import type { Rollup } from "#lib/people/events/rebuild.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { encodeWith, readHistories } from "#lib/surveys/results/count/recode.ts";
import { addResponses, loadCoders } from "#lib/surveys/results/ingest/ingest.ts";
import {
  type Cursor,
  countCountDifferences,
  countDayDifferences,
  countDurationDifferences,
  countMomentDifferences,
  countStateDifferences,
  deleteSummaries,
  fillSummaries,
  selectArrivals,
  selectProjectIds,
  selectScopes,
} from "./rebuild-store.ts";

const PAGE = 2_000;

/** How many response states have other codes or paths than the questions give. */
async function countCodeDifferences(db: Db): Promise<number> {
  let count = 0;
  for (const scope of await selectScopes(db)) {
    const code = encodeWith((await loadCoders(db, [scope]))(scope));
    for await (const states of readHistories(db, scope))
      for (const state of states) {
        const { codes, path } = code(state);
        if (codes.join("\u0000") !== state.codes.join("\u0000") || path.join() !== state.path.join())
          count += 1;
      }
  }
  return count;
}

/** The rollups of surveys, and in how many rows each differs from the events. */
async function countSurveyDifferences(db: Db): Promise<{ rollup: string; differences: number }[]> {
  const states = (await countStateDifferences(db)) + (await countCodeDifferences(db));
  return [
    { rollup: "survey_responses", differences: states },
    { rollup: "survey_person_days", differences: await countDayDifferences(db) },
    { rollup: "survey_counts", differences: await countCountDifferences(db) },
    { rollup: "survey_durations", differences: await countDurationDifferences(db) },
    { rollup: "survey_moments", differences: await countMomentDifferences(db) },
  ];
}

/** Rebuilds responses and rollups from the events; writers must wait meanwhile. */
async function rewriteSurveys(tx: Db): Promise<void> {
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

/** Stored responses and rollups, which can be rebuilt from the events. */
export const surveyRollup: Rollup = { compare: countSurveyDifferences, rewrite: rewriteSurveys };
