import { setTimeout as delay } from "node:timers/promises";

const DAY_MS = 86_400_000;
const MARGIN_MS = 30_000;

/** For tests that compare days: where midnight (UTC) is less than half a minute away, they begin after it. */
export async function clearOfMidnight(): Promise<void> {
  const left = DAY_MS - (Date.now() % DAY_MS);
  if (left < MARGIN_MS) await delay(left);
}
