import { expect } from "vitest";
import { person_distinct_ids, persons } from "#lib/platform/db/tables/events.ts";
import { type Service, startService } from "./service.ts";

const FLAGS = "/api/projects/1/feature_flags/";

type Outcome = { key: string; enabled: boolean; variant: string | null };

/** Filters that include everybody. */
export const everyone = { groups: [{ properties: [], rollout_percentage: 100 }] };

/** A condition on a property of the person. */
export const person = (key: string, value: unknown, operator = "exact") => ({
  key,
  value,
  operator,
  type: "person",
});

/** Filters for people who match all these conditions. */
export const when = (...properties: unknown[]) => ({ groups: [{ properties, rollout_percentage: 100 }] });

/** A service with helpers for tests of the SDK endpoints. */
export async function startSdkService(options?: Parameters<typeof startService>[0]) {
  const service: Service = await startService(options);
  const ids: Record<string, number> = {};

  /** `POST` without a key, as SDKs do. */
  const ask = (body: Record<string, unknown>, path = "/flags/?v=2", headers: Record<string, string> = {}) =>
    service.api("POST", path, { token: service.token, ...body }, { key: null, headers });

  return {
    ...service,
    /** Ids of the flags made here, by key. */
    ids,
    ask,
    async createFlag(key: string, fields: Record<string, unknown> = {}) {
      const made = await service.api("POST", FLAGS, { key, filters: everyone, ...fields });
      expect(made.status, made.text).toBe(201);
      ids[key] = made.json.id;
      return made.json;
    },
    async changeFlag(key: string, fields: Record<string, unknown>) {
      const changed = await service.api("PATCH", `${FLAGS}${ids[key]}/`, fields);
      expect(changed.status, changed.text).toBe(200);
      return changed.json;
    },
    /** Every flag's value for a person. */
    async valuesFor(body: Record<string, unknown>, headers: Record<string, string> = {}) {
      const answer = await ask(body, "/flags/?v=2", headers);
      expect(answer.status, answer.text).toBe(200);
      const flags = Object.values(answer.json.flags as Record<string, Outcome>);
      return Object.fromEntries(flags.map(({ key, enabled, variant }) => [key, variant ?? enabled]));
    },
    /** Writes a person as ingestion would; returns its id. */
    async storePerson(distinctIds: string[], properties: Record<string, unknown>) {
      const [row] = await service.db.insert(persons).values({ project_id: 1, properties }).returning();
      const person_id = row?.id ?? 0;
      const rows = distinctIds.map((distinct_id) => ({ project_id: 1, distinct_id, person_id }));
      await service.db.insert(person_distinct_ids).values(rows);
      service.runtime.persons.changed(null);
      return person_id;
    },
  };
}

export type SdkService = Awaited<ReturnType<typeof startSdkService>>;
