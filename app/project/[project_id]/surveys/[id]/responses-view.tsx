import { FilterX } from "lucide-react";
import { Problem } from "#components/surveys/results/filters/problem.tsx";
import { filterParams, PAGE_SIZE, resultsHref } from "#components/surveys/results/filters/results-query.ts";
import { ArchiveButton } from "#components/surveys/results/responses/archive-button.tsx";
import { ResponseItem } from "#components/surveys/results/responses/response-item.tsx";
import { ResponsesBar } from "#components/surveys/results/responses/responses-bar.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { RowKeys } from "#components/ui/row-keys.tsx";
import { plural } from "#lib/platform/format.ts";
import { surveyAccess } from "../reads.ts";
import type { ViewProps } from "./reads.ts";
import { responsesOf } from "./reads.ts";
import { responseActions } from "./response-actions.ts";

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
  return (
    <div className="flex flex-col gap-3">
      <ResponsesBar
        projectId={projectId}
        surveyId={survey.id}
        query={query}
        params={{ ...filterParams(query), ...more }}
        what={plural(count, "response")}
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
                    actions={responseActions}
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
            ? "Archived responses are excluded from all figures until restored."
            : "There are no responses within this filter yet."}
        </EmptyState>
      )}
      <Pagination
        offset={query.offset}
        limit={PAGE_SIZE}
        count={count}
        noun={count === 1 ? "response" : "responses"}
        hrefFor={(offset) => resultsHref(projectId, survey.id, query, { offset })}
      />
    </div>
  );
}
