import type { MemberContext } from "#lib/http/context.ts";
import type { Input } from "#lib/http/contract.ts";
import { invalid } from "#lib/http/errors.ts";
import type { experimentContract } from "./contract.ts";
import { selectEventProperties } from "./event_properties_store.ts";
import { someCarryFlags } from "./implementation_store.ts";
import { isObject } from "./rules.ts";

const WEEK_MS = 7 * 86_400_000;
const EVENTS_MAX = 50;

/** Names of the events of an insight's filter; null stands for every event. */
function eventsIn(text: string | undefined): (string | null)[] {
  if (!text) return [];
  try {
    const list: unknown = JSON.parse(text);
    if (!Array.isArray(list)) throw new SyntaxError("not a list");
    const ids = list.filter(isObject).map(({ id }) => id);
    const names = ids.filter((id): id is string | null => id === null || typeof id === "string");
    return [...new Set(names)].slice(0, EVENTS_MAX);
  } catch {
    throw invalid("events must be a JSON list of objects with the name of an event as id.", "events");
  }
}

/** Whether the events that an insight is about lack what experiments need: the flag's value on each of them. */
export async function requires_flag_implementation(
  context: MemberContext,
  { query }: Input<typeof experimentContract.requires_flag_implementation>,
): Promise<{ result: boolean }> {
  const since = new Date(context.now.getTime() - WEEK_MS);
  for (const event of eventsIn(query.events))
    if (await someCarryFlags(context.db, context.project.id, event, since)) return { result: false };
  return { result: true };
}

/** What the events of one name really carry, for who builds a metric of them. */
export async function event_properties(
  context: MemberContext,
  { query }: Input<typeof experimentContract.event_properties>,
) {
  const { properties, sampled } = await selectEventProperties(
    context.db,
    context.project.id,
    query.event ?? null,
  );
  return {
    sampled,
    results: properties.map(({ numeric, ...property }) => ({
      ...property,
      property_type: numeric * 2 > property.count ? ("Numeric" as const) : ("String" as const),
    })),
  };
}
