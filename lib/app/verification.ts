import { repairExperiments, verifyExperiments } from "#lib/experiments/results/verify.ts";
import { createFlagCache } from "#lib/flags/feature_flags/cache.ts";
import { createDirectory } from "#lib/identity/accounts/directory.ts";
import type { Finding } from "#lib/people/events/rebuild.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { createEraseSteps, repair, verify } from "./rollups.ts";

/** What experiments are read with. */
const readingOf = (db: Db, encryptionKey: Uint8Array) => ({
  directory: createDirectory(db),
  flags: createFlagCache(db, Buffer.from(encryptionKey)),
});

/** The figures of experiments beside the events. */
async function experimentFindings(db: Db, encryptionKey: Uint8Array): Promise<Finding[]> {
  const { units, values, totals } = await verifyExperiments(readingOf(db, encryptionKey), db);
  return [
    { rollup: "experiment_units", differences: units },
    { rollup: "experiment_values", differences: values },
    { rollup: "experiment_totals", differences: totals },
  ];
}

/** Compares everything that is derived from raw rows with them. */
export async function verifyAll(db: Db, encryptionKey: Uint8Array): Promise<Finding[]> {
  return [...(await verify(db)), ...(await experimentFindings(db, encryptionKey))];
}

/** Rebuilds everything that is derived from raw rows. @returns the remaining differences: none */
export async function repairAll(db: Db, encryptionKey: Uint8Array): Promise<Finding[]> {
  const reading = readingOf(db, encryptionKey);
  const rebuilt = await repair(db, new Date(), createEraseSteps(reading, Buffer.from(encryptionKey)));
  await repairExperiments(reading, db);
  return [...rebuilt, ...(await experimentFindings(db, encryptionKey))];
}
