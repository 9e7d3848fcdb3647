import { Archive } from "lucide-react";
import type { Route } from "next";
import type { ReactNode } from "react";
import { responseHref } from "#components/surveys/results/filters/results-query.ts";
import { Badge } from "#components/ui/display/badge.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { Link } from "#components/ui/link.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import { formatDuration } from "#lib/platform/format.ts";
import type { ResponseRow } from "#lib/surveys/results/schema.ts";
import { AnswerValue } from "./answer-value.tsx";
import { PathTaken } from "./path-taken.tsx";
import { rowWords, whoOf } from "./response-words.ts";

type Props = {
  projectId: string;
  surveyId: string;
  row: ResponseRow;
  /** Names the row; the person when absent. */
  title?: ReactNode;
  /** Archive and restore. */
  actions?: ReactNode;
};

/** A response in a list: person, time, answers, and path. */
export function ResponseItem({ projectId, surveyId, row, title, actions }: Props) {
  return (
    <li className="flex flex-col gap-2 px-4 py-3 print:break-inside-avoid" data-response={row.uuid}>
      <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1 text-xs">
        {title ?? <Who projectId={projectId} row={row} />}
        <RelativeTime date={row.timestamp} className="text-muted" />
        <Marks row={row} />
        <span className="ml-auto flex items-center gap-1 print:hidden">
          {actions}
          {row.completed === null ? null : (
            <Link
              href={responseHref(projectId, surveyId, row.uuid)}
              data-row-link=""
              className="rounded-sm px-1.5 py-1 font-medium text-accent-text hover:bg-hover"
            >
              Open<span className="sr-only">{` the response of ${whoOf(row)}`}</span>
            </Link>
          )}
        </span>
      </div>
      <Answers row={row} />
    </li>
  );
}

function Who({ projectId, row }: Pick<Props, "projectId" | "row">) {
  const name = whoOf(row);
  if (!row.person) return <span className="font-medium text-ink text-sm">{name}</span>;
  return (
    <TextLink
      href={`/project/${projectId}/persons/${row.person.id}` as Route}
      className="font-medium text-sm"
    >
      {name}
    </TextLink>
  );
}

function Marks({ row }: { row: ResponseRow }) {
  return (
    <>
      {row.completed === true ? null : (
        <Badge tone={row.completed === false ? "warning" : "neutral"}>{rowWords(row)}</Badge>
      )}
      {row.archived ? <Badge icon={Archive}>Archived</Badge> : null}
      {row.iteration ? <Badge>{`Iteration ${row.iteration}`}</Badge> : null}
      {row.seconds === null ? null : (
        <span className="text-faint">{`took ${formatDuration(row.seconds)}`}</span>
      )}
    </>
  );
}

function Answers({ row }: { row: ResponseRow }) {
  if (row.answers.length === 0) return <PathTaken row={row} />;
  return (
    <>
      <dl className="grid gap-x-4 gap-y-1.5 text-sm sm:grid-cols-[minmax(7rem,2fr)_minmax(0,5fr)]">
        {row.answers.map((answer) => (
          <div
            key={answer.question_id}
            className="sm:col-span-2 sm:grid sm:grid-cols-subgrid sm:items-baseline"
          >
            <dt className="line-clamp-2 break-words text-muted text-xs">{answer.question}</dt>
            <dd className="min-w-0">
              <AnswerValue type={answer.type} value={answer.value} countedAs={answer.counted_as} />
            </dd>
          </div>
        ))}
      </dl>
      <PathTaken row={row} />
    </>
  );
}
