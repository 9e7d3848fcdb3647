import { compileFlags } from "#lib/engines/evaluation/compile.ts";
import { evaluateFlag } from "#lib/engines/evaluation/evaluate.ts";
import type { FlagDefinition } from "#lib/engines/evaluation/values/types.ts";
import type { DemoFlag } from "./flags.ts";
import type { DemoCompany, DemoPerson } from "./people.ts";
import { random, uuidOf } from "./random.ts";

export const DAYS = 90;
const DAY_MS = 86_400_000;
const CALL = 3;

/** An event as an SDK sends it. */
export type RawEvent = {
  uuid: string;
  event: string;
  distinct_id: string;
  timestamp: string;
  properties: Record<string, unknown>;
};

/** Events that introduce people and their companies: what `identify` and `groupIdentify` send. */
export function* introductions(people: DemoPerson[], companies: DemoCompany[]): Generator<RawEvent> {
  for (const [n, { distinct_id, properties, signed_up, company }] of people.entries())
    yield {
      uuid: uuidOf(2, n),
      event: "$identify",
      distinct_id,
      timestamp: new Date(signed_up).toISOString(),
      properties: { $set: properties, $groups: { company } },
    };
  const members = Map.groupBy(people, (person) => person.company);
  for (const [n, { key, properties }] of companies.entries()) {
    const founder = members.get(key)?.[0] ?? people[0];
    if (!founder) return;
    yield {
      uuid: uuidOf(1, n),
      event: "$groupidentify",
      distinct_id: founder.distinct_id,
      timestamp: new Date(founder.signed_up).toISOString(),
      properties: { $group_type: "company", $group_key: key, $group_set: properties },
    };
  }
}

/** The working week: Saturdays and Sundays are quiet, the product grows a little every day. */
const activity = (day: number, date: Date) =>
  (date.getUTCDay() % 6 === 0 ? 0.35 : 1) * (0.7 + (0.3 * day) / DAYS);

/**
 * What SDKs reported of evaluations, a day at a time: each with the value that this person really gets from
 * the flag.
 *
 * @param stored the flags as they are stored, with ids
 */
export function* flagCalls(
  now: number,
  people: DemoPerson[],
  companies: DemoCompany[],
  flags: DemoFlag[],
  stored: readonly FlagDefinition[],
): Generator<RawEvent[]> {
  const compiled = compileFlags({ flags: stored, group_type_mapping: { "0": "company" } });
  const idOf = new Map(stored.map((flag) => [flag.key, flag.id]));
  const companyOf = new Map(companies.map((company) => [company.key, company.properties]));
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  let n = 0;
  for (let day = 0; day < DAYS; day++) {
    const start = today - (DAYS - day) * DAY_MS;
    const r = random(1_000 + day);
    const called: RawEvent[] = [];
    for (const flag of flags) {
      if (Date.parse(flag.created_at ?? "") > start) continue;
      const calls = Math.round(flag.popularity * activity(day, new Date(start)) * (0.85 + 0.3 * r.next()));
      for (let i = 0; i < calls; i++) {
        const person = r.pick(people);
        const at = start + r.between(6 * 3_600_000, 22 * 3_600_000);
        n += 1;
        if (person.signed_up > at) continue;
        const value = evaluateFlag(compiled, flag.key, {
          distinct_id: person.distinct_id,
          person_properties: person.properties,
          groups: { company: person.company },
          group_properties: { company: companyOf.get(person.company) ?? {} },
          now: at,
        })?.value;
        called.push({
          uuid: uuidOf(CALL, n),
          event: "$feature_flag_called",
          distinct_id: person.distinct_id,
          timestamp: new Date(at).toISOString(),
          properties: {
            $feature_flag: flag.key,
            $feature_flag_id: idOf.get(flag.key),
            $feature_flag_response: value ?? false,
            $lib: flag.evaluation_runtime === "server" ? "posthog-node" : "web",
            $groups: { company: person.company },
          },
        });
      }
    }
    yield called;
  }
}
