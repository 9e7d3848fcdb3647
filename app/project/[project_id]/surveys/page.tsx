import { Lock } from "lucide-react";
import type { Metadata } from "next";
import { ReadOnlyNote } from "#components/kit/access.tsx";
import { CreateButton } from "#components/kit/list/create-button.tsx";
import { ListPage } from "#components/kit/list/list-page.tsx";
import type { SearchParams } from "#components/kit/list/search-params.ts";
import { EmptySurveys } from "#components/surveys/empty-surveys.tsx";
import { ListFilters } from "#components/surveys/list-filters.tsx";
import { apiQuery, surveyList } from "#components/surveys/list-query.ts";
import { SurveyList } from "#components/surveys/survey-list.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { permitted } from "#lib/app/session/permitted.ts";
import { surveyContract } from "#lib/surveys/surveys/contract.ts";
import { figuresOf, surveyAccess } from "./reads.ts";
import { surveyActions } from "./survey-actions.ts";

export const metadata: Metadata = { title: "Surveys" };

type Props = { params: Promise<{ project_id: string }>; searchParams: Promise<SearchParams> };

export default async function SurveysPage({ params, searchParams }: Props) {
  const { project_id } = await params;
  const query = surveyList.read(await searchParams);
  const api = await getApi();
  const list = (asked: object) =>
    permitted(api.call(surveyContract.list, { params: { project_id }, query: asked }));
  const [found, access] = await Promise.all([list(apiQuery(query)), surveyAccess()]);
  const isEmpty = found?.count === 0 && !surveyList.isFiltered(query);
  const putAway = isEmpty ? ((await list({ limit: "1" }))?.count ?? 0) : 0;
  return (
    <Page>
      <PageHeader
        title="Surveys"
        description="Ask people while they use your product, and see what they say."
        actions={
          !found || isEmpty || !access.may_write ? null : (
            <CreateButton href={`/project/${project_id}/surveys/new`} label="New survey" group="Surveys" />
          )
        }
      />
      {found ? <ReadOnlyNote access={access} /> : null}
      {!found ? (
        <EmptyState icon={Lock} title="Your API key cannot read surveys">
          Sign in with a key that has the scope survey:read.
        </EmptyState>
      ) : isEmpty ? (
        <EmptySurveys projectId={project_id} access={access} archived={putAway} />
      ) : (
        <ListPage
          list={surveyList}
          projectId={project_id}
          count={found.count}
          query={query}
          filters={<ListFilters projectId={project_id} query={query} />}
        >
          {found.results.length === 0 ? null : (
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
        </ListPage>
      )}
    </Page>
  );
}
