/** A process of its own that stores events until it is killed, and prints which ones were confirmed as stored. */
import { parseArgs } from "node:util";
import { createWriter } from "#lib/app/rollups.ts";
import { connectTo } from "#lib/platform/db/connect.ts";
import { eventOf } from "./events.ts";

const { values } = parseArgs({ options: { connection: { type: "string" }, project: { type: "string" } } });
const { db } = connectTo({
  kind: "server",
  description: "the tests' database",
  connection: JSON.parse(values.connection ?? "{}"),
});
const project = Number(values.project);
const events = createWriter(db);

async function sender(name: string): Promise<never> {
  for (let n = 0; ; n += 1) {
    const batch = Array.from({ length: 20 }, (_, i) =>
      i % 5 === 0
        ? eventOf("$identify", `${name}-${n}`, { $anon_distinct_id: `${name}-anon-${n}`, $set: { n, name } })
        : eventOf("$feature_flag_called", `${name}-${n}`, {
            $feature_flag: "f",
            $feature_flag_response: true,
          }),
    );
    await events.write(project, batch);
    process.stdout.write(batch.map((event) => `${event.uuid}\n`).join(""));
  }
}

await Promise.all(["a", "b", "c", "d"].map(sender));
