import { contrastsOf } from "#components/surveys/appearance/colours.ts";
import { asksEveryone, placesInWords } from "#components/surveys/draft/audience.ts";
import { lengthWords } from "#components/surveys/draft/flow-words.ts";
import type { SurveyBody } from "#components/surveys/draft/survey-draft.ts";
import type { PathReport } from "#lib/engines/branching/paths-types.ts";
import { isObject } from "#lib/engines/json.ts";
import type { LinkedFlag } from "#lib/flags/feature_flags/schema.ts";
import { formatCount, formatNumber } from "#lib/platform/format.ts";
import { type LaunchCheck, reachChecks } from "./launch-reach.ts";

const good = (title: string, text: string): LaunchCheck => ({ level: "good", title, text });

function questionChecks({ questions }: SurveyBody): LaunchCheck[] {
  if (questions.length === 0)
    return [{ level: "error", title: "There are no questions", text: "Add a question before launching." }];
  const ids = questions.map((question) => question.id);
  const twice = ids.some((id, place) => id !== undefined && ids.indexOf(id) < place);
  return twice
    ? [
        {
          level: "warning",
          title: "Two questions share an id",
          text: "Their answers cannot be distinguished. Give one of them another id in the JSON.",
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
        title: errors.length === 1 ? "The flow has an error" : `The flow has ${errors.length} errors`,
        text: first.message,
      },
    ];
  const ends = good("Every path ends", lengthWords(report));
  const worst = warnings[0];
  if (!worst) return [ends];
  const title = warnings.length === 1 ? "The flow has a warning" : `The flow has ${warnings.length} warnings`;
  return [ends, { level: "warning", title, text: worst.message }];
}

function audienceChecks(body: SurveyBody): LaunchCheck[] {
  const places = placesInWords(body.conditions);
  if (body.type === "external_survey")
    return [
      { level: "note", title: "Anyone with the address", text: "Send it to the people you want to ask." },
    ];
  if (body.type === "api")
    return [{ level: "note", title: "Your own code shows it", text: "It does not appear by itself." }];
  if (!asksEveryone(body))
    return [
      good("A targeted audience", places.length > 0 ? `Asked ${places.join(", ")}.` : "On every page."),
    ];
  return [
    {
      level: "warning",
      title: "Everybody is asked",
      text:
        places.length > 0 ? `Asked ${places.join(", ")}.` : "On every page, at once. Is that what you want?",
    },
  ];
}

/** Whether it ends automatically. */
function endChecks(body: SurveyBody, end: string | null): LaunchCheck[] {
  const { responses_limit: limit, iteration_count: rounds } = body;
  if (end) return [good("It ends automatically", "On the date below.")];
  if (limit) return [good("It ends automatically", `After ${formatCount(limit)} responses.`)];
  if (rounds) return [good("It ends automatically", `After ${rounds} iterations.`)];
  return [
    {
      level: "warning",
      title: "It has no end",
      text: "It runs until somebody stops it. Set a date or a response limit to end it automatically.",
    },
  ];
}

function lookChecks(body: SurveyBody): LaunchCheck[] {
  const bad = (contrastsOf(body.type, body.appearance) ?? []).filter((check) => !check.readable);
  const html =
    body.questions.some((question) => question.descriptionContentType === "html") ||
    (isObject(body.appearance) && body.appearance.thankYouMessageDescriptionContentType === "html");
  return [
    ...(bad.length > 0
      ? [
          {
            level: "warning" as const,
            title: "Some text is hard to read",
            text: bad.map((check) => `${check.what} (${formatNumber(check.ratio, 1)} to 1)`).join(", "),
          },
        ]
      : []),
    ...(html
      ? [
          {
            level: "note" as const,
            title: "It contains HTML",
            text: "Scripts, forms and frames were removed. Check the preview.",
          },
        ]
      : []),
  ];
}

/**
 * The launch checklist.
 *
 * @param start when it begins, in milliseconds since the epoch
 * @param end when it ends; null: not by itself
 * @param linked the flag that it is linked to, as it stands
 */
export function launchChecks(
  body: SurveyBody,
  report: PathReport,
  start: number,
  end: string | null,
  linked: LinkedFlag | null,
): LaunchCheck[] {
  const wrong: LaunchCheck[] =
    end && Date.parse(end) <= start
      ? [{ level: "error", title: "The end must be after the start", text: "Choose another date." }]
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
