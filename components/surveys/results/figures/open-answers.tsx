"use client";

import { useDeferredValue, useState } from "react";
import { useEndpoint } from "#components/kit/use-endpoint.ts";
import {
  filterParams,
  linksOf,
  type ResultsQuery,
  type Rows,
} from "#components/surveys/results/filters/results-query.ts";
import { OpenLink } from "#components/surveys/results/open-link.tsx";
import { answerTexts, whoOf } from "#components/surveys/results/responses/response-words.ts";
import { Callout } from "#components/ui/display/callout.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { Skeleton } from "#components/ui/display/skeleton.tsx";
import { SearchInput } from "#components/ui/form/input.tsx";
import { plural } from "#lib/platform/format.ts";
import type { surveyResultsContract } from "#lib/surveys/results/contract.ts";
import type { ResponseRow } from "#lib/surveys/results/schema.ts";

type Props = {
  projectId: string;
  surveyId: string;
  query: ResultsQuery;
  questionId: string;
  question: string;
  /** Opens all answers to the question. */
  rows: Rows;
};

const SHOWN = "8";

/** Open answers, latest first, with a search. */
export function OpenAnswers({ projectId, surveyId, query, questionId, question, rows }: Props) {
  const [search, setSearch] = useState("");
  const wanted = useDeferredValue(search.trim());
  const within = wanted
    ? { figure: JSON.stringify([{ question_id: questionId, operator: "icontains", value: wanted }]) }
    : rows;
  const found = useEndpoint<typeof surveyResultsContract.responses>(
    "/api/projects/{project_id}/surveys/{id}/responses/",
    {
      params: { project_id: projectId, id: surveyId },
      query: { ...filterParams(query), ...within, limit: SHOWN } as never,
    },
  );
  const links = linksOf(projectId, surveyId, query);
  const of = wanted ? `“${wanted}” in: ${question}` : `Answers: ${question}`;
  return (
    <section aria-label={`Answers: ${question}`} className="min-w-0">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <h3 className="font-semibold text-sm">Answers</h3>
        <SearchInput
          label={`Search the answers to ${question}`}
          placeholder="Search answers"
          size="sm"
          value={search}
          onValueChange={setSearch}
          pending={found.isFetching}
          className="w-full sm:w-56 print:hidden"
        />
      </div>
      {found.error ? (
        <Callout tone="danger" title="Could not load the answers" live>
          {found.error.message}
        </Callout>
      ) : null}
      {found.data ? (
        <>
          <ul className="divide-y rounded-md border">
            {found.data.results.map((row) => (
              <Answer key={row.uuid} row={row} questionId={questionId} />
            ))}
            {found.data.count === 0 ? (
              <li className="px-3 py-4 text-center text-muted text-xs">No answer contains that.</li>
            ) : null}
          </ul>
          <p aria-live="polite" className="mt-1.5 text-xs">
            <OpenLink href={links.open(within, of)} className="text-muted">
              {wanted
                ? `All ${plural(found.data.count, "answer")} with “${wanted}”`
                : `All ${plural(found.data.count, "answer")}`}
            </OpenLink>
          </p>
        </>
      ) : found.error ? null : (
        <Waiting />
      )}
    </section>
  );
}

function Answer({ row, questionId }: { row: ResponseRow; questionId: string }) {
  const answer = row.answers.find((each) => each.question_id === questionId);
  return (
    <li className="px-3 py-2">
      <p className="line-clamp-3 whitespace-pre-wrap break-words text-ink text-sm">
        {answerTexts(answer?.value).join(", ")}
      </p>
      <p className="text-faint text-xs">
        <span className="print:hidden">{whoOf(row)} · </span>
        <RelativeTime date={row.timestamp} />
      </p>
    </li>
  );
}

function Waiting() {
  return (
    <div role="status" aria-label="Loading the answers" className="flex flex-col divide-y rounded-md border">
      {[0, 1, 2].map((row) => (
        <div key={row} className="flex flex-col gap-2 px-3 py-2.5">
          <Skeleton className="h-3 w-4/5" />
          <Skeleton className="h-3 w-24" />
        </div>
      ))}
    </div>
  );
}
