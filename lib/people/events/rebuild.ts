import { PERSONS_TOPIC } from "#lib/people/persons/cache.ts";
import { countPropertyDifferences, rewriteProperties } from "#lib/people/property_definitions/rebuild.ts";
import { type Db, inTransaction, type Tx } from "#lib/platform/db/connect.ts";
import { publish } from "#lib/platform/db/notify.ts";
import {
  adoptOrphans,
  countNameDifferences,
  countOrphans,
  countUuidDifferences,
  lockWriters,
  readWholeTables,
  rewriteNames,
  rewriteUuids,
} from "./rebuild-store.ts";

/** A rollup, and in how many rows it differs from its raw rows. */
export type Finding = { rollup: string; differences: number };

/** What a module above keeps of events. */
export type Rollup = {
  /** Called in one snapshot. */
  compare(tx: Db): Promise<Finding[]>;
  /** Rebuilds it from the raw rows; writers wait meanwhile. */
  rewrite(tx: Db): Promise<void>;
};

/** Compares everything that the writer keeps up to date with the raw rows; to be called in one snapshot. */
async function compare(tx: Db, rollups: readonly Rollup[]): Promise<Finding[]> {
  await readWholeTables(tx);
  const properties = await countPropertyDifferences(tx);
  const findings = [
    { rollup: "event_uuids", differences: await countUuidDifferences(tx) },
    { rollup: "person_distinct_ids", differences: await countOrphans(tx) },
    { rollup: "event_definitions", differences: await countNameDifferences(tx) },
    { rollup: "property_definitions", differences: properties.names },
    { rollup: "property_values", differences: properties.values },
  ];
  for (const rollup of rollups) findings.push(...(await rollup.compare(tx)));
  return findings;
}

/** Compares rollups with their raw rows in one snapshot; writers continue meanwhile. */
export const verify = (db: Db, rollups: readonly Rollup[]): Promise<Finding[]> =>
  inTransaction(db, (tx) => compare(tx, rollups), {
    isolationLevel: "repeatable read",
    accessMode: "read only",
  });

/**
 * Rebuilds the rollups from the raw rows; writers wait meanwhile.
 *
 * @param before what is to be done first, while writers wait
 * @returns the remaining differences: none
 */
export const repair = (
  db: Db,
  now: Date,
  rollups: readonly Rollup[],
  before: (tx: Tx) => Promise<void> = async () => undefined,
): Promise<Finding[]> =>
  inTransaction(db, async (tx) => {
    await lockWriters(tx);
    await before(tx);
    await rewriteUuids(tx);
    await adoptOrphans(tx);
    await publish(tx, PERSONS_TOPIC, null);
    await rewriteNames(tx);
    await rewriteProperties(tx, now);
    for (const rollup of rollups) await rollup.rewrite(tx);
    return compare(tx, rollups);
  });
