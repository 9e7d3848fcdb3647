import type { Route } from "next";
import type { ReactNode } from "react";
import { Sentence } from "#components/conditions/sentence.tsx";
import { TYPE_HELP, TYPE_WORDS } from "#components/surveys/draft/status.ts";
import { dayInWords, shortened } from "#components/surveys/results/filters/filter-words.ts";
import { ButtonLink } from "#components/ui/button.tsx";
import { Badge } from "#components/ui/display/badge.tsx";
import { Card, Facts } from "#components/ui/display/card.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { StoredQuestion } from "#lib/engines/branching/question.ts";
import { isObject } from "#lib/engines/json.ts";
import { flagFilters } from "#lib/people/conditions/filters-schema.ts";
import { capitalized, type Names, setTokens } from "#lib/people/conditions/words.ts";
import { plural } from "#lib/platform/format.ts";
import { kindName } from "#lib/surveys/surveys/questions/question_kinds/kinds.ts";
import type { SurveyRecord } from "#lib/surveys/surveys/schema.ts";

function placeInWords(target: unknown, questions: readonly StoredQuestion[]): string {
  if (target === "end") return "the end";
  const found = typeof target === "number" ? questions[target] : undefined;
  return found && typeof target === "number"
    ? `${target + 1}. ${shortened(found.question, 32)}`
    : "a deleted question";
}

/** The branching of a question, in a line. */
function branchingInWords(question: StoredQuestion, questions: readonly StoredQuestion[]): string {
  const { branching } = question;
  const next = questions.at(-1) === question ? "Then the survey ends" : "Then the next question";
  if (!isObject(branching) || branching.type === "next_question") return next;
  if (branching.type === "end") return "Then the survey ends";
  if (branching.type === "specific_question") return `Then ${placeInWords(branching.index, questions)}`;
  if (!isObject(branching.responseValues)) return next;
  const ways = Object.entries(branching.responseValues);
  const words = ways.slice(0, 4).map(([answer, target]) => `${answer} → ${placeInWords(target, questions)}`);
  return `By answer: ${words.join("; ")}${ways.length > 4 ? "; …" : ""}`;
}

const text = (value: unknown): string | null =>
  typeof value === "string" && value.trim() !== "" ? value : null;

/** Conditions on the page, the device and events, as terms and values. */
function conditionsInWords({
  conditions,
}: Pick<SurveyRecord, "conditions">): { term: string; value: string }[] {
  const { url, selector, deviceTypes, events, seenSurveyWaitPeriodInDays: wait } = conditions ?? {};
  const devices = Array.isArray(deviceTypes) ? deviceTypes.map(String).join(", ") : null;
  const values = isObject(events) && Array.isArray(events.values) ? events.values : [];
  const names = values.flatMap((event) => (isObject(event) && text(event.name) ? [String(event.name)] : []));
  const items = [
    { term: "Address", value: text(url) },
    { term: "Element", value: text(selector) },
    { term: "Devices", value: devices || null },
    { term: "After events", value: names.join(", ") || null },
    {
      term: "Wait",
      value: typeof wait === "number" && wait > 0 ? `${wait} days after any other survey` : null,
    },
  ].flatMap(({ term, value }) => (value ? [{ term, value }] : []));
  return items.length > 0 ? items : [{ term: "Pages", value: "Everywhere" }];
}

type Props = { projectId: string; survey: SurveyRecord; names: Names };

/** The setup of the survey, as context for its figures. */
export function SetupFacts({ projectId, survey, names }: Props) {
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <Card
        title="Questions"
        className="lg:row-span-3"
        actions={
          <ButtonLink
            size="sm"
            href={`/project/${projectId}/surveys/${survey.id}/edit` as Route}
            className="print:hidden"
          >
            Edit
          </ButtonLink>
        }
      >
        <Questions survey={survey} />
      </Card>
      <Card title="Who is asked">
        <Facts items={whoOf(projectId, survey, names)} />
      </Card>
      <Card title="Where and when">
        <Facts items={[...conditionsInWords(survey), ...scheduleOf(survey)]} />
      </Card>
      <Card title="Schedule and limits">
        <Facts items={limitsOf(survey)} />
      </Card>
    </div>
  );
}

function Questions({ survey }: { survey: SurveyRecord }) {
  const questions = survey.questions ?? [];
  if (questions.length === 0) return <p className="text-muted text-sm">There are none yet.</p>;
  return (
    <ol className="flex flex-col divide-y">
      {questions.map((question, place) => {
        const choices = Array.isArray(question.choices) ? question.choices.map(String) : [];
        return (
          <li key={question.id} className="flex gap-3 py-2.5 first:pt-0 last:pb-0">
            <span aria-hidden="true" className="tabular pt-0.5 text-faint text-xs">
              {place + 1}
            </span>
            <div className="min-w-0 flex-1">
              <p className="break-words font-medium text-sm">{question.question}</p>
              {choices.length > 0 ? (
                <p className="break-words text-muted text-xs">{choices.join(" · ")}</p>
              ) : null}
              <p className="text-faint text-xs">{branchingInWords(question, questions)}</p>
            </div>
            <span className="flex shrink-0 flex-col items-end gap-1">
              <Badge>{kindName(question.type)}</Badge>
              {question.optional ? <span className="text-faint text-xs">optional</span> : null}
            </span>
          </li>
        );
      })}
    </ol>
  );
}

type Item = { term: string; value: ReactNode };

function whoOf(projectId: string, survey: SurveyRecord, names: Names): Item[] {
  const flag = survey.linked_flag;
  const parsed = flagFilters.safeParse(survey.targeting_flag?.filters);
  const items: Item[] = [
    { term: "Shown as", value: `${TYPE_WORDS[survey.type]}. ${TYPE_HELP[survey.type]}` },
  ];
  if (flag)
    items.push({
      term: "Flag",
      value: <TextLink href={`/project/${projectId}/feature_flags/${flag.id}` as Route}>{flag.key}</TextLink>,
    });
  items.push({
    term: "People",
    value:
      parsed.success && parsed.data.groups.length > 0 ? (
        <ul className="flex flex-col gap-1 text-muted">
          {parsed.data.groups.map((group) => (
            <li key={JSON.stringify(group)}>
              <Sentence tokens={capitalized(setTokens(group, parsed.data, names))} />
            </li>
          ))}
        </ul>
      ) : (
        "Everybody"
      ),
  });
  return items;
}

const SCHEDULES = {
  once: "Once per person",
  recurring: "In iterations",
  always: "Whenever its conditions are met",
};

function scheduleOf(survey: SurveyRecord): Item[] {
  const dates = survey.iteration_start_dates ?? [];
  return [
    { term: "Schedule", value: SCHEDULES[survey.schedule ?? "once"] },
    { term: "Launched", value: survey.start_date ? dayInWords(survey.start_date.slice(0, 10)) : "Not yet" },
    {
      term: "Ends",
      value: survey.end_date ? dayInWords(survey.end_date.slice(0, 10)) : "When stopped manually",
    },
    ...(dates.length > 0
      ? [
          {
            term: "Iterations",
            value: `${plural(dates.length, "iteration")}, every ${plural(survey.iteration_frequency_days ?? 0, "day")}: ${dates
              .slice(0, 6)
              .map((date) => dayInWords(date.slice(0, 10)))
              .join(", ")}${dates.length > 6 ? " …" : ""}`,
          },
        ]
      : []),
  ];
}

function limitsOf(survey: SurveyRecord): Item[] {
  const { response_sampling_interval: interval, response_sampling_interval_type: unit } = survey;
  const sampled = survey.response_sampling_limit && interval && unit;
  return [
    {
      term: "Response limit",
      value: survey.responses_limit ? plural(survey.responses_limit, "response") : "None",
    },
    {
      term: "Sampling",
      value: sampled
        ? `About ${plural(survey.response_sampling_limit ?? 0, "response")} over ${plural(interval, unit)}`
        : "None: the whole audience is asked",
    },
    {
      term: "Unfinished responses",
      value: survey.enable_partial_responses
        ? "Stored, answer by answer"
        : "Not stored: only finished responses arrive",
    },
  ];
}
