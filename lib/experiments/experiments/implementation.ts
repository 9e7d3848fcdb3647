import { isObject } from "#lib/engines/json.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { invalid } from "#lib/platform/http/errors.ts";
import type { experimentContract } from "./contract.ts";
import { selectEventProperties } from "./event-properties-store.ts";
import { hasFlagValues } from "./implementation-store.ts";

const WEEK_MS = 7 * 86_400_000;
const EVENTS_MAX = 50;

/** Names of the events of an insight's filter; null means every event. */
function eventsIn(text: string | undefined): (string | null)[] {
  if (!text) return [];
  try {
    const list: unknown = JSON.parse(text);
    if (!Array.isArray(list)) throw new SyntaxError("not a list");
    const ids = list.filter(isObject).map(({ id }) => id);
    const names = ids.filter((id): id is string | null => id === null || typeof id === "string");
    return [...new Set(names)].slice(0, EVENTS_MAX);
  } catch {
    throw invalid("events must be a JSON list of objects with an event name as id.", "events");
  }
}

/** Whether the events of an insight lack flag values, which experiments need. */
export async function requires_flag_implementation(
  context: MemberContext,
  { query }: Input<typeof experimentContract.requires_flag_implementation>,
): Promise<{ result: boolean }> {
  const since = new Date(context.now.getTime() - WEEK_MS);
  for (const event of eventsIn(query.events))
    if (await hasFlagValues(context.db, context.project.id, event, since)) return { result: false };
  return { result: true };
}

/** Properties that events of a name carry, for building metrics. */
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
