import { FilterX, Lock, Users } from "lucide-react";
import type { Metadata } from "next";
import { Snippets } from "#components/feature_flags/detail/snippets.tsx";
import type { PlacedProblem } from "#components/kit/editor/json.ts";
import type { SearchParams } from "#components/kit/list/search-params.ts";
import { PeopleFilters } from "#components/persons/people-filters.tsx";
import { cursorOf, type PeopleQuery, peopleList } from "#components/persons/people-query.ts";
import { PeopleTable } from "#components/persons/people-table.tsx";
import { PeopleTabs } from "#components/persons/people-tabs.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import { permitted } from "#lib/app/session/permitted.ts";
import { requireWho } from "#lib/app/session/who.ts";
import { projectContract } from "#lib/identity/projects/contract.ts";
import { cohortContract } from "#lib/people/cohorts/contract.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import { personContract } from "#lib/people/persons/contract.ts";
import { propertyDefinitionContract } from "#lib/people/property_definitions/contract.ts";
import { formatCount } from "#lib/platform/format.ts";
import type { Client } from "#lib/platform/http/client.ts";
import { ApiError } from "#lib/platform/http/errors.ts";
import { readRemoteBase } from "../feature_flags/reads.ts";

export const metadata: Metadata = { title: "People" };

type Props = { params: Promise<{ project_id: string }>; searchParams: Promise<SearchParams> };

const SHOWN_COLUMNS = 4;
/** Already shown in the first column. */
const IN_THE_NAME = ["email", "name"];

export default async function PeoplePage({ params, searchParams }: Props) {
  const { project_id } = await params;
  const query = peopleList.read(await searchParams);
  const { api } = await requireWho();
  const [found, properties, names] = await Promise.all([
    peopleOf(api, project_id, query),
    permitted(
      api.call(propertyDefinitionContract.list, { params: { project_id }, query: { limit: "100" } }),
    ).then((list) => list?.results ?? []),
    namesFor(api, project_id, query),
  ]);
  const columns =
    query.columns ??
    properties
      .map((each) => each.name)
      .filter((name) => !IN_THE_NAME.includes(name) && !name.startsWith("$"))
      .slice(0, SHOWN_COLUMNS);
  return (
    <Page>
      <PageHeader
        title="People & cohorts"
        description="The people who use your product, and the cohorts that flags target."
        tabs={<PeopleTabs projectId={project_id} current="persons" />}
      />
      {found === null ? (
        <EmptyState icon={Lock} title="Your API key cannot read people">
          Sign in with a key that has the scope person:read.
        </EmptyState>
      ) : found.page?.count === 0 && isWhole(query) ? (
        <NoPeople api={api} projectId={project_id} />
      ) : (
        <>
          <PeopleFilters
            projectId={project_id}
            query={query}
            names={names}
            properties={properties}
            columns={columns}
            problem={found.problem}
          />
          {found.page && found.page.results.length > 0 ? (
            <PeopleTable
              projectId={project_id}
              people={found.page.results}
              columns={columns}
              caption="People"
            />
          ) : null}
          {found.page ? <Window page={found.page} projectId={project_id} query={query} /> : null}
          {found.page?.results.length === 0 && found.page.count_is_exact ? (
            <NoMatch projectId={project_id} query={query} />
          ) : null}
          {found.page ? (
            <Pagination
              offset={query.offset}
              limit={peopleList.pageSize}
              count={found.page.count}
              exact={found.page.count_is_exact}
              beyond={beyondHref(project_id, query, found.page.next)}
              noun={found.page.count === 1 ? "person" : "people"}
              hrefFor={(offset) => peopleList.href(project_id, query, { offset })}
            />
          ) : null}
        </>
      )}
    </Page>
  );
}

/** Whether the list is unfiltered. */
const isWhole = (query: PeopleQuery) => !peopleList.isFiltered(query) && query.before === null;

function beyondHref(projectId: string, query: PeopleQuery, next: string | null) {
  const before = cursorOf(next);
  return before === null ? null : peopleList.href(projectId, query, { before });
}

type WindowProps = {
  page: { count: number; count_is_exact: boolean; next: string | null };
  projectId: string;
  query: PeopleQuery;
};

/** Which part of very many people was searched, with links to the rest. */
function Window({ page, projectId, query }: WindowProps) {
  const beyond = beyondHref(projectId, query, page.next);
  const filtered = query.rows.length > 0 && !page.count_is_exact;
  if (!filtered && query.before === null) return null;
  return (
    <p className="flex flex-wrap items-center gap-x-2 gap-y-1 py-2 text-muted text-xs">
      {filtered
        ? `${formatCount(page.count)} of the ${query.before === null ? "newest" : "next"} people match.`
        : "These people were first seen earlier."}
      {filtered && beyond ? <TextLink href={beyond}>Search earlier people</TextLink> : null}
      {query.before === null ? null : (
        <TextLink href={peopleList.href(projectId, query, { before: null })}>Back to the newest</TextLink>
      )}
    </p>
  );
}

/** A page of people, or what the API says about the filter; null where the key may not read people. */
async function peopleOf(api: Client, project_id: string, query: PeopleQuery) {
  try {
    const page = await permitted(
      api.call(personContract.list, {
        params: { project_id },
        query: {
          limit: String(peopleList.pageSize),
          offset: String(query.offset),
          search: query.search || undefined,
          before: query.before ?? undefined,
          properties: query.rows.length > 0 ? JSON.stringify(query.rows) : undefined,
        },
      }),
    );
    return page && { page, problem: null };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error;
    return { page: null, problem: placed(error) };
  }
}

/** The row and the field that an error names: properties__0__operator. */
function placed(error: ApiError): PlacedProblem {
  const parts = (error.attr ?? "").split("__").slice(1);
  return { message: error.message, path: parts.map((part) => (/^\d+$/.test(part) ? Number(part) : part)) };
}

async function namesFor(api: Client, project_id: string, { rows }: PeopleQuery): Promise<Names> {
  if (!rows.some((row) => row.type === "cohort")) return {};
  const list = await permitted(
    api.call(cohortContract.list, { params: { project_id }, query: { limit: "1000" } }),
  );
  return { cohorts: new Map((list?.results ?? []).map((each) => [String(each.id), each.name])) };
}

async function NoPeople({ api, projectId }: { api: Client; projectId: string }) {
  const projects = await permitted(api.call(projectContract.list, { query: { limit: "1000" } }));
  const token = projects?.results.find((each) => String(each.id) === projectId)?.api_token ?? null;
  return (
    <div className="flex flex-col gap-6">
      <EmptyState icon={Users} title="No people yet">
        People appear automatically when an SDK evaluates a flag or sends an event with a distinct id. What
        you send about them becomes properties that you can target.
      </EmptyState>
      <div className="mx-auto w-full max-w-3xl">
        <h2 className="mb-2 font-medium text-sm">Identify people from your code</h2>
        <Snippets token={token} flagKey="my-first-flag" kind="person" apiBase={await readRemoteBase()} />
      </div>
    </div>
  );
}

function NoMatch({ projectId, query }: { projectId: string; query: PeopleQuery }) {
  const beyond = query.offset > 0;
  return (
    <EmptyState
      icon={FilterX}
      title={beyond ? "Page not found" : "Nobody matches"}
      actions={
        <ButtonLink href={peopleList.href(projectId, query, beyond ? {} : { search: "", rows: [] })}>
          {beyond ? "Go to the first page" : "Clear search and filter"}
        </ButtonLink>
      }
    >
      {beyond ? "The list ends before this page." : "No one matches this search and filter."}
    </EmptyState>
  );
}
