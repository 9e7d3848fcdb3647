import { FilterX, Lock, Plus, UsersRound } from "lucide-react";
import type { Metadata, Route } from "next";
import { CohortSearch } from "#components/cohorts/cohort-search.tsx";
import { CohortTable } from "#components/cohorts/cohort-table.tsx";
import { ReadOnlyNote } from "#components/kit/access.tsx";
import { one, type SearchParams, whole, withQuery } from "#components/kit/list/search-params.ts";
import { PeopleTabs } from "#components/persons/people-tabs.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { permitted } from "#lib/app/session/permitted.ts";
import { cohortContract } from "#lib/people/cohorts/contract.ts";
import { cohortAccess, cohortNames } from "./reads.ts";

export const metadata: Metadata = { title: "Cohorts" };

type Props = { params: Promise<{ project_id: string }>; searchParams: Promise<SearchParams> };

const PAGE_SIZE = 50;

export default async function CohortsPage({ params, searchParams }: Props) {
  const { project_id } = await params;
  const given = await searchParams;
  const [search, offset] = [one(given.search), whole(given.offset, 0)];
  const api = await getApi();
  const [found, access, names] = await Promise.all([
    permitted(
      api.call(cohortContract.list, {
        params: { project_id },
        query: { limit: String(PAGE_SIZE), offset: String(offset), search: search || undefined },
      }),
    ),
    cohortAccess(),
    cohortNames(api, project_id),
  ]);
  const here = `/project/${project_id}/cohorts`;
  const newCohort = access.may_write ? (
    <ButtonLink href={`${here}/new` as Route} variant="primary" icon={Plus}>
      New cohort
    </ButtonLink>
  ) : null;
  const isEmpty = found?.count === 0 && search === "";
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
        <>
          <div className="mb-3">
            <CohortSearch projectId={project_id} search={search} />
          </div>
          {found.results.length > 0 ? (
            <CohortTable projectId={project_id} cohorts={found.results} names={names} />
          ) : (
            <EmptyState
              icon={FilterX}
              title={found.count > 0 ? "Page not found" : "No cohort matches"}
              actions={<ButtonLink href={here as Route}>Show all cohorts</ButtonLink>}
            >
              {found.count > 0 ? "The list ends before this page." : `No name contains “${search}”.`}
            </EmptyState>
          )}
          <Pagination
            offset={offset}
            limit={PAGE_SIZE}
            count={found.count}
            noun={found.count === 1 ? "cohort" : "cohorts"}
            hrefFor={(next) => withQuery(here, { search, offset: next || undefined }) as Route}
          />
        </>
      )}
    </Page>
  );
}
