import { FilterX, Lock, Plus, UsersRound } from "lucide-react";
import type { Metadata, Route } from "next";
import { CohortSearch } from "#components/cohorts/cohort_search.tsx";
import { CohortTable } from "#components/cohorts/cohort_table.tsx";
import { ReadOnlyNote } from "#components/feature_flags/read_only_note.tsx";
import { one, type SearchParams, whole, withQuery } from "#components/list/search_params.ts";
import { PeopleTabs } from "#components/persons/people_tabs.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/page-header.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { cohortContract } from "#lib/cohorts/contract.ts";
import { getApi } from "#lib/dashboard/api.ts";
import { permitted } from "#lib/dashboard/permitted.ts";
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
        description="Who uses the product, and the sets of people that flags speak of."
        actions={isEmpty || !found ? null : newCohort}
        tabs={<PeopleTabs projectId={project_id} current="cohorts" />}
      />
      {found ? <ReadOnlyNote access={access} /> : null}
      {!found ? (
        <EmptyState icon={Lock} title="Your API key may not read cohorts">
          Sign in with a key that has the scope cohort:read.
        </EmptyState>
      ) : isEmpty ? (
        <EmptyState icon={UsersRound} title="No cohorts yet" actions={newCohort}>
          A cohort is a set of people with a name: those who match some properties, or a list of ids. Flags
          can target it, and when its definition changes, all of them follow.
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
              title={found.count > 0 ? "There is no such page" : "No cohort matches"}
              actions={<ButtonLink href={here as Route}>Show all cohorts</ButtonLink>}
            >
              {found.count > 0
                ? "The list has fewer cohorts than this page starts at."
                : `No name contains “${search}”.`}
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
