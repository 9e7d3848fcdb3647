import { sql } from "drizzle-orm";
import { recalculateDays } from "#lib/experiments/results/recalculate.ts";
import { erasePerson } from "#lib/people/erasures/erase.ts";
import { jobContext } from "./jobs.ts";
import type { Service } from "./service.ts";

type Waiting = { key: string; payload: never };

const takeWaiting = async ({ db }: Service, name: string): Promise<Waiting[]> => {
  const { rows } = await db.execute<Waiting>(
    sql`delete from jobs where name = ${name} and state = 'waiting' returning key, payload`,
  );
  return rows;
};

/** Runs what erasures have put in line, without a runner. @param now of the recomputation of experiments */
export async function finishErasures(service: Service, now = new Date()): Promise<void> {
  for (let waiting = await takeWaiting(service, erasePerson.name); waiting.length > 0; ) {
    for (const { key, payload } of waiting)
      await erasePerson.run(jobContext(service.runtime, { now, key, payload }));
    for (const { key, payload } of await takeWaiting(service, recalculateDays.name))
      await recalculateDays.run(jobContext(service.runtime, { now, key, payload }));
    waiting = await takeWaiting(service, erasePerson.name);
  }
}
