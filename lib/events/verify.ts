import { parseArgs } from "node:util";
import { StartError } from "#lib/config.ts";
import { database } from "#lib/db/connect.ts";
import { type Finding, repair, verify } from "./rebuild.ts";

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
  const { db, close } = await database();
  try {
    const findings = await verify(db);
    print(findings);
    const isEqual = findings.every((finding) => finding.differences === 0);
    if (isEqual || !values.repair) return isEqual ? 0 : 1;
    console.info("\nRewritten from the stored events, persons and groups:");
    const left = await repair(db, new Date());
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
