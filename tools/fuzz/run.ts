/**
 * `npm run fuzz [-- options]`: sends generated requests to a Switchyard of its own, over HTTP, as its OpenAPI document
 * describes them and otherwise, and checks every answer, and the database in the end. Fails if anything is not as it has
 * to be, with the shortest request that shows it.
 *
 *   --requests N   how many: 5000
 *   --seed S       chooses them; the same seed sends the same: the number of today's date
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openDatabase } from "#lib/platform/db/connect.ts";
import { migrate } from "#lib/platform/db/migrate.ts";
import { fuzz } from "./fuzz.ts";

const DAY_MS = 86_400_000;
const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "5000" },
    seed: { type: "string", default: String(Math.floor(Date.now() / DAY_MS)) },
  },
});

const folder = mkdtempSync(join(tmpdir(), "switchyard-fuzz-"));
const database = await openDatabase({ databaseUrl: undefined, dataDir: folder });
try {
  await migrate(database);
  const { host, user } = database.pool.options;
  const { problems, unreached, statuses, ...figures } = await fuzz({
    database,
    env: {
      DATA_DIR: join(folder, "process"),
      DATABASE_URL: `postgresql://${user}@localhost/${database.pool.options.database}?host=${host}&port=${database.pool.options.port}`,
    },
    requests: Number(values.requests),
    seed: Number(values.seed),
    onProgress: (done, found) => console.info(`${done} requests, ${found} problems`),
  });
  for (const { what, curl, before } of problems) {
    console.error(`\nPROBLEM ${what}`);
    for (const step of before) console.error(`  after  ${step}`);
    if (curl) console.error(`  replay ${curl}`);
  }
  console.info(`\n${JSON.stringify({ ...figures, statuses })}`);
  console.info(`Operations that never succeeded: ${unreached.join(", ") || "none"}`);
  console.info(`${problems.length} problems, seed ${values.seed}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
}
