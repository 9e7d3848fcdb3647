import { FilterX } from "lucide-react";
import { ArchiveButton } from "#components/survey_results/archive_button.tsx";
import { Problem } from "#components/survey_results/problem.tsx";
import { ResponseItem } from "#components/survey_results/response_item.tsx";
import { ResponsesBar } from "#components/survey_results/responses_bar.tsx";
import { filterParams, PAGE_SIZE, resultsHref } from "#components/survey_results/results_query.ts";
import { ButtonLink } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { RowKeys } from "#components/ui/row-keys.tsx";
import { surveyAccess } from "../reads.ts";
import { archiveResponse, unarchiveResponse } from "./actions.ts";
import type { ViewProps } from "./page.tsx";
import { responsesOf } from "./reads.ts";

const actions = { archive: archiveResponse, unarchive: unarchiveResponse };

/** The responses themselves, newest first, under the same filter as the figures. */
export async function ResponsesView({ api, projectId, survey, query }: ViewProps) {
  const more = {
    ...(query.search ? { search: query.search } : {}),
    ...(query.archived ? { archived: "only" } : {}),
  };
  const place = { project_id: projectId, id: survey.id };
  const [found, access] = await Promise.all([
    responsesOf(api, place, query, { ...more, limit: String(PAGE_SIZE), offset: String(query.offset) }),
    surveyAccess(),
  ]);
  if (!found.data) return <Problem {...found.problem} />;
  const { count, results } = found.data;
  const noun = count === 1 ? "response" : "responses";
  return (
    <div className="flex flex-col gap-3">
      <ResponsesBar
        projectId={projectId}
        surveyId={survey.id}
        query={query}
        params={{ ...filterParams(query), ...more }}
        what={`${count.toLocaleString("en")} ${noun}`}
      />
      {results.length > 0 ? (
        <RowKeys noun="response">
          <ol
            aria-label="Responses"
            className="divide-y overflow-clip rounded-lg border bg-surface shadow-card"
          >
            {results.map((row) => (
              <ResponseItem
                key={row.uuid}
                projectId={projectId}
                surveyId={survey.id}
                row={row}
                actions={
                  <ArchiveButton
                    projectId={projectId}
                    surveyId={survey.id}
                    uuid={row.uuid}
                    archived={row.archived}
                    access={access}
                    actions={actions}
                  />
                }
              />
            ))}
          </ol>
        </RowKeys>
      ) : (
        <EmptyState
          icon={FilterX}
          title={query.archived ? "Nothing is archived" : "No response matches"}
          actions={
            <ButtonLink
              href={resultsHref(projectId, survey.id, query, {
                search: "",
                archived: false,
                date_from: "",
                date_to: "",
                iteration: "",
                people: [],
                answers: [],
              })}
            >
              Show all responses
            </ButtonLink>
          }
        >
          {query.archived
            ? "A response that is put away counts in no figure until it is brought back."
            : "There is no response within this filter yet."}
        </EmptyState>
      )}
      <Pagination
        offset={query.offset}
        limit={PAGE_SIZE}
        count={count}
        noun={noun}
        hrefFor={(offset) => resultsHref(projectId, survey.id, query, { offset })}
      />
    </div>
  );
}
