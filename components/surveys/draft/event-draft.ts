import { isObject, type Json } from "#lib/engines/json.ts";

/** A property filter of an event: property, operator, and values. */
export type EventFilter = { property: string; operator: string; values: string[] };

/** How browsers compare properties of events. */
export const OPERATORS = [
  { value: "exact", label: "is" },
  { value: "is_not", label: "is not" },
  { value: "icontains", label: "contains" },
  { value: "not_icontains", label: "does not contain" },
  { value: "gt", label: "is more than" },
  { value: "lt", label: "is less than" },
  { value: "regex", label: "matches (regular expression)" },
  { value: "not_regex", label: "does not match (regular expression)" },
] as const;

/** The events of a condition, as stored. */
export const eventsOf = (trigger: unknown): (Json & { name: string })[] =>
  isObject(trigger) && Array.isArray(trigger.values)
    ? trigger.values.filter(isObject).map((event) => ({ ...event, name: String(event.name ?? "") }))
    : [];

/** The condition with other events; undefined, which removes it, if none is left. */
function withEvents(trigger: unknown, events: readonly Json[]): Json | undefined {
  return events.length === 0 ? undefined : { ...(isObject(trigger) ? trigger : {}), values: [...events] };
}

/** The events with these names; filters of those that stay are preserved. */
export function withNames(trigger: unknown, names: readonly string[]): Json | undefined {
  const stored = eventsOf(trigger);
  return withEvents(
    trigger,
    names.map((name) => stored.find((event) => event.name === name) ?? { name }),
  );
}

/** The property filters of an event. */
export function filtersOf(event: Json): EventFilter[] {
  const filters = isObject(event.propertyFilters) ? event.propertyFilters : {};
  return Object.entries(filters).map(([property, filter]) => {
    const { operator, values } = isObject(filter) ? filter : {};
    return {
      property,
      operator: typeof operator === "string" ? operator : "exact",
      values: Array.isArray(values) ? values.map(String) : [],
    };
  });
}

/** The condition with other filters on the event at a place. */
export function withFilters(trigger: unknown, place: number, filters: readonly EventFilter[]) {
  const events = eventsOf(trigger).map((event, at) => {
    if (at !== place) return event;
    const { propertyFilters: former, ...rest } = event;
    if (filters.length === 0) return rest;
    const entries = filters.map(({ property, operator, values }) => {
      const known = isObject(former) ? former[property] : undefined;
      return [property, { ...(isObject(known) ? known : {}), operator, values }] as const;
    });
    return { ...rest, propertyFilters: Object.fromEntries(entries) };
  });
  return withEvents(trigger, events);
}

/** The problem of a filter that can never match; null if it is valid. */
export function filterProblem({ property, operator, values }: EventFilter): string | null {
  if (values.length === 0) return `Enter a value for “${property}”.`;
  if (
    (operator === "gt" || operator === "lt") &&
    values.some((value) => !/^-?\d+(\.\d+)?$/.test(value.trim()))
  )
    return `Enter a number for “${property}”.`;
  if (!operator.endsWith("regex")) return null;
  try {
    for (const value of values) new RegExp(value);
    return null;
  } catch {
    return `The value for “${property}” is not a valid regular expression.`;
  }
}

const word = (operator: string) => OPERATORS.find(({ value }) => value === operator)?.label ?? operator;

/** An event with its filters: "order completed where amount is more than 100". */
export function eventWords(event: Json & { name: string }): string {
  const filters = filtersOf(event).map(
    ({ property, operator, values }) =>
      `${property} ${word(operator).split(" (")[0]} ${values.join(" or ") || "…"}`,
  );
  return filters.length > 0 ? `${event.name} where ${filters.join(" and ")}` : event.name;
}

/** A linked action, as stored. */
export type ActionDraft = { name: string; steps: string[] };

const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : null);

function stepWords(step: unknown): string {
  if (!isObject(step)) return "something that browsers cannot read";
  const parts = [
    text(step.event) === "$autocapture" ? "a click" : text(step.event),
    text(step.selector) && `on ${text(step.selector)}`,
    text(step.text) && `with the text “${text(step.text)}”`,
    text(step.href) && `on a link to ${text(step.href)}`,
    text(step.url) && `at ${text(step.url)}`,
  ].filter((part) => part !== null);
  return parts.length > 0 ? parts.join(" ") : "any event";
}

/** The actions of a condition in words: names and triggers. */
export const actionsOf = (actions: unknown): ActionDraft[] =>
  isObject(actions) && Array.isArray(actions.values)
    ? actions.values.filter(isObject).map((action) => ({
        name: text(action.name) ?? `Action ${String(action.id ?? "without a name")}`,
        steps: Array.isArray(action.steps) ? action.steps.map(stepWords) : [],
      }))
    : [];

/** The condition without the action at a place; undefined if none is left. */
export function withoutAction(actions: unknown, place: number): Json | undefined {
  if (!isObject(actions) || !Array.isArray(actions.values)) return undefined;
  const values = actions.values.filter(isObject).filter((_, at) => at !== place);
  return values.length > 0 ? { ...actions, values } : undefined;
}
