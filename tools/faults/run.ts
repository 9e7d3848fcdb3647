/**
 * `npm run faults [-- options]`: disturbs a Switchyard in every way that operations know, and checks that SDKs are
 * served, that nothing accepted is lost, and that it goes on by itself. Fails if anything is not as it has to be.
 *
 *   --seconds N   how long each fault lasts: 60
 *   --only NAME   one fault: frozen, gone, refusing or read-only
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openDatabase } from "#lib/platform/db/connect.ts";
import { migrate } from "#lib/platform/db/migrate.ts";
import { FAULTS, type Outcome, takeDatabaseAway } from "./database-away.ts";

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "60" }, only: { type: "string" } },
});
const chosen = FAULTS.filter((fault) => values.only === undefined || fault === values.only);
if (chosen.length === 0) throw new Error(`--only must be one of ${FAULTS.join(", ")}.`);

function print({ fault, reads, problems, ...figures }: Outcome): void {
  console.info(`\nDatabase ${fault}`);
  for (const [name, { count, p99 }] of Object.entries(reads))
    console.info(`  ${name.padEnd(26)} ${String(count).padStart(6)} answers, 99 % within ${p99} ms`);
  for (const [name, value] of Object.entries(figures))
    console.info(`  ${name.replaceAll("_", " ").padEnd(26)} ${String(value).padStart(6)}`);
  for (const problem of problems) console.error(`  PROBLEM ${problem}`);
}

const outcomes: Outcome[] = [];
for (const fault of chosen) {
  const folder = mkdtempSync(join(tmpdir(), "switchyard-faults-"));
  const database = await openDatabase({ databaseUrl: undefined, dataDir: folder });
  try {
    await migrate(database);
    const { host, port, user } = database.pool.options;
    const outcome = await takeDatabaseAway({
      fault,
      seconds: Number(values.seconds),
      database,
      target: { host: String(host), port: Number(port) },
      urlAt: (linePort) => `postgresql://${user}@127.0.0.1:${linePort}/${database.pool.options.database}`,
      p99_ms: 50,
    });
    outcomes.push(outcome);
    print(outcome);
  } finally {
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
const failed = outcomes.filter(({ problems }) => problems.length > 0).length;
console.info(`\n${outcomes.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
