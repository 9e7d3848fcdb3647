import type { SurveyFlag } from "#lib/surveys/schema.ts";
import { actionsOf, eventsOf, filterProblem, filtersOf } from "./event_draft.ts";
import type { LaunchCheck } from "./launch_checks.ts";
import type { SurveyBody } from "./survey_draft.ts";

const warning = (title: string, text: string): LaunchCheck => ({ level: "warning", title, text });

function widgetChecks({ type, appearance }: SurveyBody): LaunchCheck[] {
  if (type !== "widget") return [];
  const opener = appearance?.widgetType;
  if (opener === "tab" || (opener === "selector" && appearance?.widgetSelector)) return [];
  return [warning("Nothing opens it", "Say under Appearance, Place, what opens the widget.")];
}

function flagChecks({ linked_flag_id: id }: SurveyBody, linked: SurveyFlag | null): LaunchCheck[] {
  if (id === null) return [];
  if (!linked || linked.deleted)
    return [warning("The linked flag was deleted", "Nobody is asked before another one is linked, or none.")];
  if (linked.active) return [];
  return [warning("The linked flag is off", `Nobody is asked before ${linked.key} is switched on.`)];
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
    ...(problem ? [warning("An event can never fit", problem)] : []),
    ...(waits
      ? [
          warning(
            "It waits for what never happens",
            "The linked actions do not say what makes them happen. Take them out, or choose an event.",
          ),
        ]
      : []),
  ];
}

/**
 * Why nobody would ever be asked, although everything else is right.
 *
 * @param linked the flag that the survey is linked to, as it stands; null where there is none
 */
export const reachChecks = (body: SurveyBody, linked: SurveyFlag | null): LaunchCheck[] =>
  body.type === "external_survey" || body.type === "api"
    ? flagChecks(body, linked)
    : [...widgetChecks(body), ...flagChecks(body, linked), ...eventChecks(body)];
