import { parseArgs } from "node:util";
import { drizzle } from "drizzle-orm/node-postgres";
import { repairAll, verifyAll } from "#lib/app/verification.ts";
import type { Finding } from "#lib/people/events/rebuild.ts";
import { config, StartError } from "#lib/platform/config.ts";
import { database } from "#lib/platform/db/connect.ts";

function print(findings: Finding[]): void {
  for (const { rollup, differences } of findings) {
    const verdict =
      differences === 0 ? "equal" : `different in ${differences} row${differences === 1 ? "" : "s"}`;
    console.info(`${rollup.padEnd(26)} ${verdict}`);
  }
}

/** `npm run verify [-- --repair]`: 0 when all is equal, 1 when something differs. */
async function main(): Promise<number> {
  const { values } = parseArgs({ options: { repair: { type: "boolean", default: false } } });
  const { encryptionKey } = config();
  const { connect, close } = await database();
  const client = await connect();
  const db = drizzle(client);
  try {
    const findings = await verifyAll(db, encryptionKey);
    print(findings);
    const isEqual = findings.every((finding) => finding.differences === 0);
    if (isEqual || !values.repair) return isEqual ? 0 : 1;
    console.info("\nRebuilt from the stored events, persons and groups:");
    const left = await repairAll(db, encryptionKey);
    print(left);
    return left.every((finding) => finding.differences === 0) ? 0 : 1;
  } finally {
    await client.end();
    await close();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof StartError ? error.message : error);
  process.exitCode = 1;
}
