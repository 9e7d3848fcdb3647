import type { Route } from "next";
import { Badge } from "#components/ui/display/badge.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import { Card, Facts } from "#components/ui/display/card.tsx";
import { Copyable } from "#components/ui/display/copyable.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { StoredQuestion } from "#lib/engines/branching/question.ts";
import { exactTime, formatDuration } from "#lib/platform/format.ts";
import type { ResponseRow } from "#lib/surveys/results/schema.ts";
import { kindName } from "#lib/surveys/surveys/questions/question_kinds/kinds.ts";
import { AnswerValue } from "./answer-value.tsx";
import { PathTaken } from "./path-taken.tsx";
import { rowWords, whoOf } from "./response-words.ts";

type Props = { projectId: string; row: ResponseRow; questions: readonly StoredQuestion[] };

/** A response in full: its facts, and its answers in the order in which they were given. */
export function ResponseDetail({ projectId, row, questions }: Props) {
  return (
    <div className="flex flex-col gap-4">
      {row.archived ? (
        <Callout tone="warning" title="This response is archived">
          It is excluded from all figures until restored.
        </Callout>
      ) : null}
      <Card title="About">
        <Facts items={factsOf(projectId, row)} />
      </Card>
      <Card title="Answers, in the order they were given" padded={false}>
        <ol className="divide-y">
          {stepsOf(row, questions).map((step, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a path may come to a question twice
            <li key={place} className="flex gap-3 px-4 py-3">
              <span
                aria-hidden="true"
                className="tabular grid h-5 min-w-5 place-items-center rounded-sm bg-hover px-1 font-medium text-2xs text-muted"
              >
                {step.index + 1}
              </span>
              <div className="min-w-0 flex-1">
                <p className="break-words text-muted text-xs">{step.question}</p>
                <div className="mt-1 text-sm">
                  {step.stopped ? (
                    <span className="text-warning-text">stopped here</span>
                  ) : (
                    <AnswerValue type={step.type} value={step.value} countedAs={step.countedAs} />
                  )}
                </div>
              </div>
              <Badge>{kindName(step.type)}</Badge>
            </li>
          ))}
        </ol>
        {row.ended ? (
          <p className="border-t bg-sunken px-4 py-2 text-muted text-xs">
            {row.ended === "end"
              ? "Reached the end of the survey."
              : "Stopped here, before the end of the survey."}
          </p>
        ) : null}
      </Card>
    </div>
  );
}

function factsOf(projectId: string, row: ResponseRow) {
  return [
    {
      term: "Person",
      value: row.person ? (
        <TextLink href={`/project/${projectId}/persons/${row.person.id}` as Route}>{whoOf(row)}</TextLink>
      ) : (
        "No person is stored under this id"
      ),
    },
    { term: "Distinct id", value: <Copyable text={row.distinct_id} label="distinct id" /> },
    { term: "State", value: rowWords(row) },
    { term: "Received", value: exactTime(row.timestamp, false) },
    ...(row.seconds === null ? [] : [{ term: "Duration", value: formatDuration(row.seconds) }]),
    ...(row.iteration ? [{ term: "Iteration", value: String(row.iteration) }] : []),
    ...(row.path.length > 0 ? [{ term: "Path taken", value: <PathTaken row={row} /> }] : []),
    { term: "UUID", value: <Copyable text={row.uuid} label="UUID of the response" /> },
  ];
}

/**
 * The questions along the path with their answers; answers off the path (the survey was edited) come last.
 */
function stepsOf(row: ResponseRow, questions: readonly StoredQuestion[]) {
  const along = row.path.map((index, place) => {
    const answer = row.answers.find((each) => each.question_index === index);
    const asked = questions[index];
    return {
      index,
      question: answer?.question ?? asked?.question ?? `Question ${index + 1}`,
      type: answer?.type ?? String(asked?.type ?? "open"),
      value: answer?.value,
      countedAs: answer?.counted_as,
      stopped: row.ended === "left" && place === row.path.length - 1 && answer === undefined,
    };
  });
  const beside = row.answers.filter((answer) => !row.path.includes(answer.question_index));
  return [
    ...along,
    ...beside.map(({ question_index: index, question, type, value, counted_as }) => ({
      index,
      question,
      type,
      value,
      countedAs: counted_as,
      stopped: false,
    })),
  ];
}
