/** A process that takes a job, says so and never ends it; the test kills it. */
import { z } from "zod";
import { createRuntime } from "#lib/app/runtime.ts";
import { connectTo } from "#lib/platform/db/connect.ts";
import { defineJob } from "./define.ts";
import { startRunner } from "./runner.ts";

const connection = JSON.parse(process.argv[2] ?? "");
const { db } = connectTo({ kind: "server", description: "the test's", connection });
const job = defineJob({
  name: "test.hang",
  payload: z.object({ n: z.number() }),
  run: async () => {
    console.info("taken");
    await new Promise(() => undefined);
  },
});
const runtime = createRuntime(db, { encryption_key: Buffer.alloc(32, 7) });
await startRunner({ runtime, jobs: [job], leaseMs: 600, pollMs: 100 });
