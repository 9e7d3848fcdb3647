import type { PathReport } from "#lib/surveys/paths_types.ts";
import type { SurveyFlag } from "#lib/surveys/schema.ts";
import { asksEveryone, placesInWords } from "./audience.ts";
import { isObject } from "./draft.ts";
import { lengthWords } from "./flow_words.ts";
import { reachChecks } from "./launch_reach.ts";
import { contrastsOf } from "./preview/theme.ts";
import type { SurveyBody } from "./survey_draft.ts";

/** One line of what is looked at before a launch. */
export type LaunchCheck = { level: "good" | "note" | "warning" | "error"; title: string; text: string };

const good = (title: string, text: string): LaunchCheck => ({ level: "good", title, text });

function questionChecks({ questions }: SurveyBody): LaunchCheck[] {
  if (questions.length === 0)
    return [{ level: "error", title: "It asks nothing", text: "Add a question before you launch it." }];
  const ids = questions.map((question) => question.id);
  const twice = ids.some((id, place) => id !== undefined && ids.indexOf(id) < place);
  return twice
    ? [
        {
          level: "warning",
          title: "Two questions share an id",
          text: "Their answers cannot be told apart. Give one of them another id in the JSON.",
        },
      ]
    : [];
}

function pathChecks(report: PathReport): LaunchCheck[] {
  const errors = report.problems.filter((problem) => problem.severity === "error");
  const warnings = report.problems.filter((problem) => problem.severity === "warning");
  const first = errors[0];
  if (first)
    return [
      {
        level: "error",
        title: errors.length === 1 ? "The flow has a mistake" : `The flow has ${errors.length} mistakes`,
        text: first.message,
      },
    ];
  const ends = good("Every path ends", lengthWords(report));
  const told = warnings[0];
  if (!told) return [ends];
  const title =
    warnings.length === 1 ? "One remark about the flow" : `${warnings.length} remarks about the flow`;
  return [ends, { level: "warning", title, text: told.message }];
}

function audienceChecks(body: SurveyBody): LaunchCheck[] {
  const places = placesInWords(body.conditions);
  if (body.type === "external_survey")
    return [
      { level: "note", title: "Whoever has the address", text: "Send it to the people you want to ask." },
    ];
  if (body.type === "api")
    return [{ level: "note", title: "Your own code shows it", text: "Nothing comes up by itself." }];
  if (!asksEveryone(body))
    return [good("A chosen audience", places.length > 0 ? `Asked ${places.join(", ")}.` : "On every page.")];
  return [
    {
      level: "warning",
      title: "Everybody is asked",
      text:
        places.length > 0 ? `Asked ${places.join(", ")}.` : "On every page, at once. Is that what you want?",
    },
  ];
}

/** Whether anything but a person's hand stops it. */
function endChecks(body: SurveyBody, end: string | null): LaunchCheck[] {
  const { responses_limit: limit, iteration_count: rounds } = body;
  if (end) return [good("It ends by itself", "On the date below.")];
  if (limit) return [good("It ends by itself", `After ${limit.toLocaleString("en")} responses.`)];
  if (rounds) return [good("It ends by itself", `After ${rounds} rounds.`)];
  return [
    {
      level: "warning",
      title: "Nothing stops it",
      text: "It goes on until somebody stops it. A date or a number of responses would.",
    },
  ];
}

function lookChecks(body: SurveyBody): LaunchCheck[] {
  const bad = contrastsOf(body.appearance).filter((check) => !check.readable);
  const html =
    body.questions.some((question) => question.descriptionContentType === "html") ||
    (isObject(body.appearance) && body.appearance.thankYouMessageDescriptionContentType === "html");
  return [
    ...(bad.length > 0
      ? [
          {
            level: "warning" as const,
            title: "Some of it is hard to read",
            text: bad.map((check) => `${check.what} (${check.ratio.toFixed(1)} to 1)`).join(", "),
          },
        ]
      : []),
    ...(html
      ? [
          {
            level: "note" as const,
            title: "It contains HTML",
            text: "Scripts, forms and frames were taken out; look at the preview once more.",
          },
        ]
      : []),
  ];
}

/**
 * What is good and what is unsafe about launching a survey.
 *
 * @param start when it begins, in milliseconds since 1970
 * @param end when it ends; null: not by itself
 * @param linked the flag that it is linked to, as it stands
 */
export function launchChecks(
  body: SurveyBody,
  report: PathReport,
  start: number,
  end: string | null,
  linked: SurveyFlag | null,
): LaunchCheck[] {
  const wrong: LaunchCheck[] =
    end && Date.parse(end) <= start
      ? [{ level: "error", title: "It would end before it starts", text: "Choose another date." }]
      : [];
  return [
    ...wrong,
    ...questionChecks(body),
    ...(body.questions.length > 0 ? pathChecks(report) : []),
    ...audienceChecks(body),
    ...reachChecks(body, linked),
    ...endChecks(body, end),
    ...lookChecks(body),
  ];
}
