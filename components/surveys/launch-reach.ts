import { actionsOf, eventsOf, filterProblem, filtersOf } from "#components/surveys/draft/event-draft.ts";
import type { SurveyBody } from "#components/surveys/draft/survey-draft.ts";
import type { LinkedFlag } from "#lib/flags/feature_flags/schema.ts";

/** One line of the launch checklist. */
export type LaunchCheck = { level: "good" | "note" | "warning" | "error"; title: string; text: string };

const warning = (title: string, text: string): LaunchCheck => ({ level: "warning", title, text });

function widgetChecks({ type, appearance }: SurveyBody): LaunchCheck[] {
  if (type !== "widget") return [];
  const opener = appearance?.widgetType;
  if (opener === "tab" || (opener === "selector" && appearance?.widgetSelector)) return [];
  return [warning("Nothing opens it", "Choose what opens the widget under Appearance, Place.")];
}

function flagChecks({ linked_flag_id: id }: SurveyBody, linked: LinkedFlag | null): LaunchCheck[] {
  if (id === null) return [];
  if (!linked || linked.deleted)
    return [warning("The linked flag was deleted", "Nobody is asked until you link another one or none.")];
  if (linked.active) return [];
  return [warning("The linked flag is off", `Nobody is asked until ${linked.key} is switched on.`)];
}

function eventChecks({ conditions }: SurveyBody): LaunchCheck[] {
  const events = eventsOf(conditions?.events);
  const problem = [...events, ...eventsOf(conditions?.cancelEvents)]
    .flatMap(filtersOf)
    .map(filterProblem)
    .find((found) => found !== null);
  const actions = actionsOf(conditions?.actions);
  const waits = events.length === 0 && actions.length > 0 && actions.every(({ steps }) => steps.length === 0);
  return [
    ...(problem ? [warning("An event can never match", problem)] : []),
    ...(waits
      ? [
          warning(
            "Its trigger never happens",
            "The linked actions have no trigger. Remove them, or choose an event.",
          ),
        ]
      : []),
  ];
}

/**
 * Reasons why nobody would ever be asked.
 *
 * @param linked the flag that the survey is linked to, as it stands; null if there is none
 */
export const reachChecks = (body: SurveyBody, linked: LinkedFlag | null): LaunchCheck[] =>
  body.type === "external_survey" || body.type === "api"
    ? flagChecks(body, linked)
    : [...widgetChecks(body), ...flagChecks(body, linked), ...eventChecks(body)];
