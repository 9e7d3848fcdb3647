"use client";

import type { Route } from "next";
import { Suspense } from "react";
import type { SurveyActions } from "#app/project/[project_id]/surveys/survey-actions.ts";
import type { Access } from "#components/kit/access.tsx";
import { ListHead } from "#components/kit/list/list-head.tsx";
import { statusOf, TYPE_WORDS } from "#components/surveys/draft/status.ts";
import { Badge, Status } from "#components/ui/display/badge.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { Table, TableBody, Td, Tr } from "#components/ui/display/table.tsx";
import { UnreadableBadge } from "#components/ui/display/unreadable.tsx";
import { Link } from "#components/ui/link.tsx";
import { RowKeys } from "#components/ui/row-keys.tsx";
import type { SurveyRecord } from "#lib/surveys/surveys/schema.ts";
import { FigureSkeleton, ResponseRate, Responses, type RowFigures, Trend } from "./list-figures.tsx";
import { type ListQuery, surveyList } from "./list-query.ts";
import { SurveyMenu } from "./survey-menu.tsx";

type Props = {
  projectId: string;
  surveys: SurveyRecord[];
  /** Still loading when the list is shown. */
  figures: Promise<RowFigures>;
  query: ListQuery;
  access: Access;
  actions: SurveyActions;
  /** Milliseconds since the epoch, when the page was made. */
  now: number;
};

/** The surveys of a page. */
export function SurveyList(props: Props) {
  const { projectId, query } = props;
  return (
    <RowKeys noun="survey">
      <Table caption="Surveys" minWidth="sm:min-w-[46rem]">
        <ListHead list={surveyList} {...{ projectId, query }} />
        <TableBody>
          {props.surveys.map((survey) => (
            <Row key={survey.id} survey={survey} {...props} />
          ))}
        </TableBody>
      </Table>
    </RowKeys>
  );
}

function Row({ survey, ...props }: Props & { survey: SurveyRecord }) {
  const { projectId, figures, now } = props;
  const status = statusOf(survey, now);
  return (
    <Tr dimmed={survey.archived}>
      <Td place="title" className="sm:max-w-[26rem] sm:min-w-[14rem]">
        <SurveyName projectId={projectId} survey={survey} draft={status === "draft"} />
      </Td>
      <Td label="Status">
        <Status status={status} />
      </Td>
      <Td label="Type" className="sm:max-lg:hidden">
        <span className="flex flex-wrap items-center gap-1.5 text-muted text-xs">
          {TYPE_WORDS[survey.type]}
          {survey.iteration_count ? <Badge>repeats</Badge> : null}
        </span>
      </Td>
      <Td label="Responses" align="right">
        <Suspense fallback={<FigureSkeleton />}>
          <Responses projectId={projectId} id={survey.id} figures={figures} />
        </Suspense>
      </Td>
      <Td label="Response rate" align="right" className="whitespace-nowrap text-xs">
        <Suspense fallback={<FigureSkeleton />}>
          <ResponseRate id={survey.id} figures={figures} />
        </Suspense>
      </Td>
      <Td label="Trend" className="max-sm:hidden sm:max-xl:hidden">
        <Suspense fallback={<FigureSkeleton />}>
          <Trend id={survey.id} figures={figures} />
        </Suspense>
      </Td>
      <Td label="Dates" className="text-muted text-xs">
        <Dates survey={survey} status={status} now={now} />
      </Td>
      <Td place="corner" align="right" className="pl-0 sm:w-10">
        <SurveyMenu {...props} survey={survey} />
      </Td>
    </Tr>
  );
}

function SurveyName({
  projectId,
  survey,
  draft,
}: {
  projectId: string;
  survey: SurveyRecord;
  draft: boolean;
}) {
  const count = survey.questions?.length ?? 0;
  return (
    <div className="flex min-w-0 flex-col gap-0.5">
      <Link
        href={`/project/${projectId}/surveys/${survey.id}${draft ? "/edit" : ""}` as Route}
        data-row-link=""
        className="-mx-1 w-fit max-w-full break-words rounded-xs px-1 font-medium text-ink hover:text-accent-text hover:underline hover:underline-offset-[3px]"
      >
        {survey.name}
      </Link>
      <span className="line-clamp-1 text-muted text-xs">
        {survey.description || `${count} ${count === 1 ? "question" : "questions"}`}
      </span>
      <UnreadableBadge fields={survey.unreadable_fields} />
    </div>
  );
}

type DatesProps = { survey: SurveyRecord; status: ReturnType<typeof statusOf>; now: number };

function Dates({ survey, now }: DatesProps) {
  const { start_date: start, end_date: end, created_at } = survey;
  if (!start)
    return (
      <span className="whitespace-nowrap">
        created <RelativeTime date={created_at} />
      </span>
    );
  return (
    <span className="flex flex-col whitespace-nowrap">
      <span>
        {Date.parse(start) > now ? "starts" : "launched"} <RelativeTime date={start} />
      </span>
      {end ? (
        <span className="text-faint">
          {Date.parse(end) > now ? "ends" : "ended"} <RelativeTime date={end} />
        </span>
      ) : null}
    </span>
  );
}
