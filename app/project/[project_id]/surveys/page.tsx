import { FilterX, Lock, Plus } from "lucide-react";
import type { Metadata, Route } from "next";
import type { Access } from "#components/feature_flags/flag_actions.ts";
import { ReadOnlyNote } from "#components/feature_flags/read_only_note.tsx";
import type { SearchParams } from "#components/list/search_params.ts";
import { CreateShortcut } from "#components/surveys/create_shortcut.tsx";
import { EmptySurveys } from "#components/surveys/empty_surveys.tsx";
import { ListFilters } from "#components/surveys/list_filters.tsx";
import {
  apiQuery,
  type ListQuery,
  listHref,
  noFilters,
  PAGE_SIZE,
  readListQuery,
} from "#components/surveys/list_query.ts";
import { SurveyList } from "#components/surveys/survey_list.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/page-header.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { getApi } from "#lib/dashboard/api.ts";
import { permitted } from "#lib/dashboard/permitted.ts";
import { surveyContract } from "#lib/surveys/contract.ts";
import { figuresOf, surveyAccess, surveyActions } from "./reads.ts";

export const metadata: Metadata = { title: "Surveys" };

type Props = { params: Promise<{ project_id: string }>; searchParams: Promise<SearchParams> };

export default async function SurveysPage({ params, searchParams }: Props) {
  const { project_id } = await params;
  const query = readListQuery(await searchParams);
  const api = await getApi();
  const list = (asked: object) =>
    permitted(api.call(surveyContract.list, { params: { project_id }, query: asked }));
  const [found, access] = await Promise.all([list(apiQuery(query)), surveyAccess()]);
  const isEmpty = found?.count === 0 && noFilters(query);
  const putAway = isEmpty ? ((await list({ limit: "1" }))?.count ?? 0) : 0;
  return (
    <Page>
      <PageHeader
        title="Surveys"
        description="Ask people while they use the product, and read what they say."
        actions={!found || isEmpty ? null : <NewSurvey projectId={project_id} access={access} />}
      />
      {found ? <ReadOnlyNote access={access} /> : null}
      {!found ? (
        <EmptyState icon={Lock} title="Your API key may not read surveys">
          Sign in with a key that has the scope survey:read.
        </EmptyState>
      ) : isEmpty ? (
        <EmptySurveys projectId={project_id} access={access} archived={putAway} />
      ) : (
        <>
          <ListFilters projectId={project_id} query={query} />
          {found.results.length === 0 ? (
            <NoMatch projectId={project_id} query={query} count={found.count} />
          ) : (
            <SurveyList
              projectId={project_id}
              surveys={found.results}
              figures={figuresOf(api, project_id, found.results)}
              query={query}
              access={access}
              actions={surveyActions}
              now={Date.now()}
            />
          )}
          <Pagination
            offset={query.offset}
            limit={PAGE_SIZE}
            count={found.count}
            noun={found.count === 1 ? "survey" : "surveys"}
            hrefFor={(offset) => listHref(project_id, query, { offset })}
          />
        </>
      )}
    </Page>
  );
}

function NewSurvey({ projectId, access }: { projectId: string; access: Access }) {
  const href = `/project/${projectId}/surveys/new` as Route;
  return access.may_write ? (
    <>
      <CreateShortcut href={href} />
      <ButtonLink href={href} variant="primary" icon={Plus}>
        New survey
      </ButtonLink>
    </>
  ) : null;
}

function NoMatch({ projectId, query, count }: { projectId: string; query: ListQuery; count: number }) {
  const beyond = count > 0;
  const href = beyond
    ? listHref(projectId, query)
    : listHref(projectId, query, { search: "", status: "", type: "" });
  return (
    <EmptyState
      icon={FilterX}
      title={beyond ? "There is no such page" : "No survey matches"}
      actions={
        <ButtonLink href={href}>{beyond ? "To the first page" : "Clear search and filters"}</ButtonLink>
      }
    >
      {beyond
        ? `The list has ${count} surveys, fewer than this page starts at.`
        : query.search
          ? `Neither a name nor a description contains “${query.search}” within these filters.`
          : "None of the project's surveys fits these filters."}
    </EmptyState>
  );
}
