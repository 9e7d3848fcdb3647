import { expect } from "vitest";
import { loadExperiment } from "#lib/experiments/experiments/lookup.ts";
import { advance, advanceMany } from "#lib/experiments/results/days/advance.ts";
import { prepare } from "#lib/experiments/results/prepare.ts";
import { parseEvent } from "#lib/people/events/event.ts";
import { type Service, startService } from "./service.ts";

export const HOUR = 3_600_000;
export const START = Date.UTC(2026, 2, 2, 9);

/** An event as tests write it down; `at` is hours after START. */
export type Told = {
  event: string;
  id: string;
  at: number;
  properties?: Record<string, unknown>;
  uuid?: string;
};

export const metric = (fields: Record<string, unknown>) => ({ kind: "ExperimentMetric", ...fields });
export const source = (event: string | null, fields: Record<string, unknown> = {}) => ({
  kind: "EventsNode",
  event,
  ...fields,
});

/** A service with helpers for tests of experiment results. */
export async function startResults(options?: Parameters<typeof startService>[0]) {
  const service: Service = await startService(options);
  const now = Date.now();
  const preparedOf = async (id: number, timezone: string) => {
    const { projects } = await service.runtime.directory.current();
    const project = projects.get(1);
    if (!project) throw new Error("There is no project.");
    const row = await loadExperiment({ db: service.db, project }, id);
    return prepare(service.runtime, service.db, row, timezone);
  };
  return {
    ...service,
    async create(fields: Record<string, unknown>) {
      const made = await service.api("POST", "/api/projects/1/experiments/", {
        name: "Checkout",
        feature_flag_key: `flag-${Math.random().toString(36).slice(2)}`,
        start_date: new Date(START).toISOString(),
        ...fields,
      });
      expect(made.status, made.text).toBe(201);
      return made.json;
    },
    /** Stores events as they would come from clients that keep their own time. */
    async send(events: Told[]) {
      const parsed = events.map(({ event, id, at, properties = {}, uuid }) =>
        parseEvent(
          { event, distinct_id: id, uuid, timestamp: new Date(START + at * HOUR).toISOString(), properties },
          { now, sentAt: null, historical: true, unnamed: null },
        ),
      );
      for (const event of parsed) if (typeof event === "string") throw new Error(event);
      await service.runtime.events.write(
        1,
        parsed.filter((event) => typeof event !== "string"),
      );
    },
    async figures(id: number, at: number, { timezone = "UTC", rebuild = false } = {}) {
      const prepared = await preparedOf(id, timezone);
      const figures = await advance(service.db, prepared, {
        now: new Date(START + at * HOUR),
        rebuild,
      });
      return { prepared, figures };
    },
    /** Brings several up to date in one go. */
    async together(ids: number[], at: number) {
      const list: Parameters<typeof advanceMany>[1][number][] = [];
      for (const id of ids)
        list.push({ prepared: await preparedOf(id, "UTC"), now: new Date(START + at * HOUR) });
      await advanceMany(service.db, list);
    },
  };
}
