import { parseArgs } from "node:util";
import { drizzle } from "drizzle-orm/node-postgres";
import { repairAll, verifyAll } from "#lib/app/verification.ts";
import { readCopies, storeVerification } from "#lib/audit/job.ts";
import { keysOf } from "#lib/audit/keys.ts";
import { verifyAudit } from "#lib/audit/verify.ts";
import { selectUnfinished } from "#lib/people/erasures/store.ts";
import { HistoryError, openClickHouse } from "#lib/people/events/history/clickhouse-store.ts";
import { findKeptProblem, WrongCopy } from "#lib/people/events/history/ship.ts";
import { type Difference, repairHistory, verifyHistory } from "#lib/people/events/history/verify.ts";
import type { Finding } from "#lib/people/events/rebuild.ts";
import { config, StartError } from "#lib/platform/config.ts";
import { type Db, database } from "#lib/platform/db/connect.ts";
import { plural } from "#lib/platform/format.ts";

function print(findings: Finding[]): void {
  for (const { rollup, differences } of findings) {
    const verdict =
      differences === 0 ? "equal" : `different in ${differences} row${differences === 1 ? "" : "s"}`;
    console.info(`${rollup.padEnd(26)} ${verdict}`);
  }
}

const allEqual = (findings: Finding[]) => findings.every((finding) => finding.differences === 0);

/** Days that are named; of the others it is said how many there are. */
const DAYS_SHOWN = 20;

/** Compares the copy of the events in ClickHouse, if there is one. @returns whether it is equal in the end */
async function verifyCopy(db: Db, repair: boolean): Promise<boolean> {
  const { clickhouseUrl } = config();
  if (clickhouseUrl === undefined) {
    const problem = await findKeptProblem(db);
    if (problem) console.info(`\n${problem}`);
    return problem === null;
  }
  const copy = openClickHouse(clickhouseUrl);
  const say = (differences: Difference[]) => {
    print([{ rollup: "clickhouse", differences: differences.length }]);
    for (const { project_id, day, event, kept, postgres, clickhouse } of differences.slice(0, DAYS_SHOWN)) {
      const left = kept > 0 ? ` and ${kept} that left it` : "";
      const counts = `${postgres?.count ?? 0} events in PostgreSQL${left}, ${clickhouse?.count ?? 0} in ClickHouse`;
      console.info(`  project ${project_id}, ${day}, ${event}: ${counts}`);
    }
    if (differences.length > DAYS_SHOWN) console.info(`  and ${differences.length - DAYS_SHOWN} more`);
  };
  try {
    const differences = await verifyHistory(db, copy).catch((error: unknown) => {
      throw error instanceof HistoryError || error instanceof WrongCopy
        ? new StartError(error.message)
        : error;
    });
    say(differences);
    if (differences.length === 0 || !repair) return differences.length === 0;
    console.info("\nCopied again:");
    const left = await repairHistory(db, copy, differences);
    say(left);
    if (left.some(({ kept }) => kept > 0))
      console.info(
        "\nDays of which only ClickHouse has events were not emptied, and PostgreSQL cannot give back what they lack. See “Events that only ClickHouse has” in docs/operations.md.",
      );
    return left.length === 0;
  } finally {
    await copy.close();
  }
}

/** Compares the audit log with what it sealed. @returns whether everything is as it was */
async function verifyLog(db: Db): Promise<boolean> {
  const settings = { encryption_key: Buffer.from(config().encryptionKey), audit: config().audit };
  const found = await verifyAudit(db, keysOf(settings), { copies: await readCopies(db, settings.audit) });
  const { entries, checkpoints, unsealed, problems, more, notices } = found;
  console.info(
    `${plural(entries, "entry", "entries")} and ${plural(checkpoints, "checkpoint")} of the audit log:`,
  );
  for (const { message } of problems) console.info(`  ${message}`);
  if (more > 0) console.info(`  and ${more} more`);
  console.info(problems.length === 0 ? "Everything is as it was sealed." : "The audit log was changed.");
  for (const notice of notices) console.info(notice);
  if (unsealed > 0)
    console.info(`${plural(unsealed, "row")} ${unsealed === 1 ? "is" : "are"} not sealed yet.`);
  await storeVerification(db, found).catch(() => undefined);
  return problems.length === 0;
}

/** `npm run verify [-- --repair | --audit]`: 0 when all is equal, 1 when something differs. */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      repair: { type: "boolean", default: false },
      audit: { type: "boolean", default: false },
    },
  });
  const { encryptionKey } = config();
  const { connect, close, jobs } = await database();
  const client = await connect();
  const db = drizzle(client);
  try {
    if (values.audit) return (await verifyLog(db)) ? 0 : 1;
    const findings = await verifyAll(db, encryptionKey);
    print(findings);
    const unfinished = (await selectUnfinished(db)).length;
    if (unfinished > 0)
      console.info(
        `\n${plural(unfinished, "erasure")} of people ${unfinished === 1 ? "is" : "are"} not finished: until then, figures and events may differ.`,
      );
    let isEqual = allEqual(findings);
    if (!isEqual && values.repair) {
      console.info("\nRebuilt from the stored events, persons and groups:");
      const left = await repairAll(db, encryptionKey);
      print(left);
      isEqual = allEqual(left);
    }
    const isCopyEqual = await verifyCopy(jobs, values.repair);
    return isEqual && isCopyEqual ? 0 : 1;
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
