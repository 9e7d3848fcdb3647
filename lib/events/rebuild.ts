import { type Db, inTransaction } from "#lib/db/connect.ts";
import { countPropertyDifferences, rewriteProperties } from "#lib/property_definitions/rebuild.ts";
import { countSurveyDifferences, rewriteSurveys } from "#lib/survey_results/rebuild.ts";
import {
  adoptOrphans,
  countCallDifferences,
  countNameDifferences,
  countOrphans,
  countUuidDifferences,
  lockWriters,
  readWholeTables,
  rewriteCalls,
  rewriteNames,
  rewriteUuids,
} from "./rebuild_store.ts";

/** What is kept beside the raw rows, and in how many rows it differs from them. */
export type Finding = { rollup: string; differences: number };

/** Compares everything that the writer keeps up to date with the raw rows; to be called in one snapshot. */
async function compare(tx: Db): Promise<Finding[]> {
  await readWholeTables(tx);
  const properties = await countPropertyDifferences(tx);
  return [
    { rollup: "event_uuids", differences: await countUuidDifferences(tx) },
    { rollup: "person_distinct_ids", differences: await countOrphans(tx) },
    { rollup: "event_definitions", differences: await countNameDifferences(tx) },
    { rollup: "feature_flag_calls_daily", differences: await countCallDifferences(tx) },
    { rollup: "property_definitions", differences: properties.names },
    { rollup: "property_values", differences: properties.values },
    ...(await countSurveyDifferences(tx)),
  ];
}

/** Compares rollups with the rows that they are made from, as of one moment; writers go on meanwhile. */
export const verify = (db: Db): Promise<Finding[]> =>
  inTransaction(db, compare, { isolationLevel: "repeatable read", accessMode: "read only" });

/** Makes the rollups anew from the raw rows; writers wait meanwhile. @returns what is left, hence nothing */
export const repair = (db: Db, now: Date): Promise<Finding[]> =>
  inTransaction(db, async (tx) => {
    await lockWriters(tx);
    await rewriteUuids(tx);
    await adoptOrphans(tx);
    await rewriteNames(tx);
    await rewriteCalls(tx);
    await rewriteProperties(tx, now);
    await rewriteSurveys(tx);
    return compare(tx);
  });
