import { parseArgs } from "node:util";
import { repair, verify } from "#lib/app/rollups.ts";
import { type Reading, repairExperiments, verifyExperiments } from "#lib/experiments/results/verify.ts";
import { createFlagCache } from "#lib/flags/feature_flags/cache.ts";
import { createDirectory } from "#lib/identity/accounts/directory.ts";
import type { Finding } from "#lib/people/events/rebuild.ts";
import { config, StartError } from "#lib/platform/config.ts";
import { type Db, database } from "#lib/platform/db/connect.ts";

function print(findings: Finding[]): void {
  for (const { rollup, differences } of findings) {
    const verdict =
      differences === 0 ? "equal" : `different in ${differences} row${differences === 1 ? "" : "s"}`;
    console.info(`${rollup.padEnd(26)} ${verdict}`);
  }
}

/** What experiments are read with. */
const readingOf = (db: Db): Reading => ({
  directory: createDirectory(db),
  flags: createFlagCache(db, Buffer.from(config().encryptionKey)),
});

/** The figures of experiments beside the events. */
async function experimentFindings(db: Db): Promise<Finding[]> {
  const { units, values, totals } = await verifyExperiments(readingOf(db), db);
  return [
    { rollup: "experiment_units", differences: units },
    { rollup: "experiment_values", differences: values },
    { rollup: "experiment_totals", differences: totals },
  ];
}

/** `npm run verify [-- --repair]`: 0 when all is equal, 1 when something differs. */
async function main(): Promise<number> {
  const { values } = parseArgs({ options: { repair: { type: "boolean", default: false } } });
  const { db, close } = await database();
  try {
    const findings = [...(await verify(db)), ...(await experimentFindings(db))];
    print(findings);
    const isEqual = findings.every((finding) => finding.differences === 0);
    if (isEqual || !values.repair) return isEqual ? 0 : 1;
    console.info("\nRebuilt from the stored events, persons and groups:");
    const rebuilt = await repair(db, new Date());
    await repairExperiments(readingOf(db), db);
    const left = [...rebuilt, ...(await experimentFindings(db))];
    print(left);
    return left.every((finding) => finding.differences === 0) ? 0 : 1;
  } finally {
    await close();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof StartError ? error.message : error);
  process.exitCode = 1;
}
