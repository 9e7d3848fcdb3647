import { defineJob } from "#lib/platform/jobs/define.ts";
import type { JobContext } from "#lib/platform/jobs/work.ts";
import type { Runtime } from "./context.ts";
import { deliverDue } from "./deliveries/deliver.ts";
import { prune } from "./deliveries/store.ts";
import { announceItems } from "./fan_out/announce.ts";
import { fanOut } from "./fan_out/fan-out.ts";

const DAY_MS = 86_400_000;
const DELIVERED_DAYS = 7;
const DEAD_DAYS = 30;
const DEAD_MAX = 1_000;

/** Sends what has happened. */
export const deliverNotifications = defineJob({
  name: "notifications.deliver",
  every: 5_000,
  run: async ({ runtime, db, now, signal }: JobContext<unknown, Runtime>) => {
    // The database's clock, as jobs have it, and not this machine's.
    const began = performance.now();
    const clock = () => new Date(now.getTime() + performance.now() - began);
    const work = { runtime, db };
    await deliverDue(work, { clock, signal, arriving: () => fanOut(work, clock()) });
  },
});

/** Looks for what needs attention, and notifies of what did not need it before. */
export const announceInbox = defineJob({
  name: "notifications.inbox",
  every: 300_000,
  run: async (job: JobContext<unknown, Runtime>) => announceItems(job, job.now),
});

/** Deletes old messages. */
export const pruneNotifications = defineJob({
  name: "notifications.prune",
  every: 3_600_000,
  run: async ({ db, now }: JobContext<unknown, Runtime>) => {
    const before = (days: number) => new Date(now.getTime() - days * DAY_MS);
    await prune(db, { delivered: before(DELIVERED_DAYS), dead: before(DEAD_DAYS), dead_max: DEAD_MAX });
  },
});
