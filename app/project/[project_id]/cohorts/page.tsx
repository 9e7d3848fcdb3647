import { Lock, Plus, UsersRound } from "lucide-react";
import type { Metadata, Route } from "next";
import { cohortList } from "#components/cohorts/cohort-list.ts";
import { CohortSearch } from "#components/cohorts/cohort-search.tsx";
import { CohortTable } from "#components/cohorts/cohort-table.tsx";
import { ReadOnlyNote } from "#components/kit/access.tsx";
import { ListPage } from "#components/kit/list/list-page.tsx";
import type { SearchParams } from "#components/kit/list/search-params.ts";
import { PeopleTabs } from "#components/persons/people-tabs.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { permitted } from "#lib/app/session/permitted.ts";
import { cohortContract } from "#lib/people/cohorts/contract.ts";
import { cohortAccess, cohortNames } from "./reads.ts";

export const metadata: Metadata = { title: "Cohorts" };

type Props = { params: Promise<{ project_id: string }>; searchParams: Promise<SearchParams> };

export default async function CohortsPage({ params, searchParams }: Props) {
  const { project_id } = await params;
  const query = cohortList.read(await searchParams);
  const api = await getApi();
  const [found, access, names] = await Promise.all([
    permitted(
      api.call(cohortContract.list, {
        params: { project_id },
        query: {
          limit: String(cohortList.pageSize),
          offset: String(query.offset),
          search: query.search || undefined,
        },
      }),
    ),
    cohortAccess(),
    cohortNames(api, project_id),
  ]);
  const newCohort = access.may_write ? (
    <ButtonLink href={`/project/${project_id}/cohorts/new` as Route} variant="primary" icon={Plus}>
      New cohort
    </ButtonLink>
  ) : null;
  const isEmpty = found?.count === 0 && !cohortList.isFiltered(query);
  return (
    <Page>
      <PageHeader
        title="People & cohorts"
        description="The people who use your product, and the cohorts that flags target."
        actions={isEmpty || !found ? null : newCohort}
        tabs={<PeopleTabs projectId={project_id} current="cohorts" />}
      />
      {found ? <ReadOnlyNote access={access} /> : null}
      {!found ? (
        <EmptyState icon={Lock} title="Your API key cannot read cohorts">
          Sign in with a key that has the scope cohort:read.
        </EmptyState>
      ) : isEmpty ? (
        <EmptyState icon={UsersRound} title="No cohorts yet" actions={newCohort}>
          A cohort is a named set of people: those who match some properties, or a list of ids. Flags can
          target it and follow when its definition changes.
        </EmptyState>
      ) : (
        <ListPage
          list={cohortList}
          projectId={project_id}
          query={query}
          count={found.count}
          filters={<CohortSearch projectId={project_id} query={query} />}
        >
          {found.results.length === 0 ? null : (
            <CohortTable projectId={project_id} cohorts={found.results} names={names} />
          )}
        </ListPage>
      )}
    </Page>
  );
}
