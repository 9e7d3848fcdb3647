import { sql } from "drizzle-orm";
import { expect } from "vitest";
import { hashValue } from "#lib/engines/evaluation/hash/hash.ts";
import type { IngestEvent } from "#lib/people/events/event.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { rampTick } from "#lib/ramps/run.ts";
import type { Ramp } from "#lib/ramps/schema.ts";
import { eventOf } from "./events.ts";
import { jobContext } from "./jobs.ts";
import { type Service, startService } from "./service.ts";

export const RAMPS = "/api/projects/1/ramps/";
export const FLAGS = "/api/projects/1/feature_flags/";
export const HOUR_MS = 3_600_000;

/** A guardrail on how often an event happens to a person. */
export const errorsGuardrail = (fields: object = {}) => ({
  name: "Errors",
  metric: {
    kind: "ExperimentMetric",
    metric_type: "mean",
    source: { kind: "EventsNode", event: "$exception" },
  },
  harm: "increase",
  margin: 0.1,
  action: "roll_back",
  ...fields,
});

/** A service with helpers for tests of ramps. */
export async function startRamps() {
  const service: Service = await startService();
  let flags = 0;
  const post = async (path: string, body?: unknown) => {
    const { status, json, text } = await service.api("POST", path, body);
    expect(status, text).toBeLessThan(300);
    return json;
  };
  return {
    ...service,
    newFlag: async (fields: object = {}): Promise<{ id: number; key: string }> => {
      flags += 1;
      const filters = { groups: [{ properties: [], rollout_percentage: 0 }] };
      return post(FLAGS, { key: `ramped-${flags}`, filters, ...fields });
    },
    start: async (flag: { id: number }, steps: readonly object[], fields: object = {}): Promise<Ramp> =>
      post(RAMPS, { feature_flag: flag.id, steps, ...fields }),
    act: async (id: number, action: string, body?: object): Promise<Ramp> =>
      post(`${RAMPS}${id}/${action}/`, body),
    read: async (id: number): Promise<Ramp> => (await service.api("GET", `${RAMPS}${id}/`)).json,
    readFlag: async (id: number) => (await service.api("GET", `${FLAGS}${id}/`)).json,
    /** What the flag's activity log says, newest first. */
    log: async (id: number) => (await service.api("GET", `${FLAGS}${id}/activity/?limit=50`)).json.results,
    /** Does what is to be done, so many hours from now. */
    tick: (hours = 0, db: Db = service.db) =>
      rampTick.run({
        ...jobContext(service.runtime, { now: new Date(Date.now() + 1_000 + hours * HOUR_MS) }),
        db,
      }),
    /** Lets the step of a ramp have begun so many hours earlier. */
    age: (id: number, hours: number) =>
      service.db.execute(sql`
        update ramp_runs set started_at = started_at - make_interval(secs => ${hours * 3_600}) where ramp_id = ${id}`),
    /** Ends all ramps without a trace. */
    endAll: async () => {
      await service.db.execute(
        sql`update ramps set status = 'cancelled', ended_at = now() where ended_at is null`,
      );
      await service.db.execute(sql`delete from ramp_people`);
    },
    write: (events: IngestEvent[]) => service.runtime.events.write(1, events),
  };
}

export type RampService = Awaited<ReturnType<typeof startRamps>>;

/** Somebody is asked for a flag. */
export const called = (key: string, id: string): IngestEvent =>
  eventOf("$feature_flag_called", id, { $feature_flag: key, $feature_flag_response: true });

/** People named after a flag, and whether a share lets them in. */
export const peopleOf = (key: string, count: number, share: number, from = 0) =>
  Array.from({ length: count }, (_, i) => {
    const id = `${key}-${from + i}`;
    return { id, isIn: hashValue(key, id) <= share / 100 };
  });
