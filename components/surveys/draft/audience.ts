import { isObject, type Json } from "#lib/engines/json.ts";
import { actionsOf, eventsOf, eventWords } from "./event-draft.ts";
import type { SurveyBody } from "./survey-draft.ts";

const LINKED = "flag_evaluates_to";

const isNotSet = (key: string) => ({ key, type: "person", operator: "is_not_set", value: "is_not_set" });

/**
 * Filters that match exactly the people a survey may ask: its targeting, the flag that it is linked to, and
 * (of a stored one) nobody who has answered or dismissed it. Page conditions cannot be counted.
 *
 * @param id of the stored survey; null for a new one
 */
export function audienceFilters(body: SurveyBody, id: string | null): { groups: Json[] } {
  const filters = body.targeting_flag_filters;
  const perGroup = isObject(filters) && typeof filters.aggregation_group_type_index === "number";
  const variant = body.conditions?.linkedFlagVariant;
  const linked =
    body.linked_flag_id === null
      ? []
      : [
          {
            key: String(body.linked_flag_id),
            type: "flag",
            operator: LINKED,
            value: typeof variant === "string" && variant !== "any" ? variant : true,
          },
        ];
  const repeats = body.schedule === "always" || Boolean(body.iteration_count);
  const once =
    id === null || repeats || perGroup
      ? []
      : [isNotSet(`$survey_responded/${id}`), isNotSet(`$survey_dismissed/${id}`)];
  const groups = filters?.groups ?? [{ properties: [], rollout_percentage: 100 }];
  return {
    ...(filters as Json | null),
    groups: groups.map((group) => ({
      ...group,
      properties: [...(group.properties ?? []), ...linked, ...once],
    })) as Json[],
  };
}

/** Whether every person of the project may be asked. */
export const asksEveryone = (body: SurveyBody): boolean =>
  body.targeting_flag_filters === null && body.linked_flag_id === null;

const words = (value: unknown): string => (typeof value === "string" ? value : "");
const list = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
const names = (trigger: unknown): string[] => eventsOf(trigger).map(eventWords);

export const URL_MATCHES = [
  { value: "icontains", label: "contains" },
  { value: "not_icontains", label: "does not contain" },
  { value: "exact", label: "is exactly" },
  { value: "is_not", label: "is not" },
  { value: "regex", label: "matches (regular expression)" },
  { value: "not_regex", label: "does not match (regular expression)" },
] as const;

const matchWord = (value: unknown) => URL_MATCHES.find((match) => match.value === value)?.label ?? "contains";

/** Conditions on the page, in words: "on pages whose address contains “/checkout”". */
export function placesInWords(conditions: Json | null): string[] {
  if (!conditions) return [];
  const [url, selector, devices] = [
    words(conditions.url),
    words(conditions.selector),
    list(conditions.deviceTypes),
  ];
  const [events, cancelling] = [names(conditions.events), names(conditions.cancelEvents)];
  const actions = actionsOf(conditions.actions).map(({ name }) => name);
  const not = /^(not_|is_not)/.test(words(conditions.deviceTypesMatchType)) ? "not " : "";
  const wait = conditions.seenSurveyWaitPeriodInDays;
  return [
    ...(url ? [`on pages whose address ${matchWord(conditions.urlMatchType)} “${url}”`] : []),
    ...(selector ? [`where “${selector}” is on the page`] : []),
    ...(devices.length > 0 ? [`${not}on ${devices.join(not ? " or " : ", ")}`] : []),
    ...(events.length > 0 ? [`after ${events.join(" or ")}`] : []),
    ...(actions.length > 0 ? [`after the action ${actions.join(" or ")}`] : []),
    ...(cancelling.length > 0 ? [`unless ${cancelling.join(" or ")} happens first`] : []),
    ...(typeof wait === "number" && wait > 0
      ? [`${wait} ${wait === 1 ? "day" : "days"} after their last survey at the earliest`]
      : []),
  ];
}
