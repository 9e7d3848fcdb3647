import type { Metadata, Route } from "next";
import { notFound } from "next/navigation";
import { CohortButtons } from "#components/cohorts/cohort-buttons.tsx";
import { CohortFacts } from "#components/cohorts/cohort-facts.tsx";
import { RemoveMember } from "#components/cohorts/remove-member.tsx";
import { Locked } from "#components/frame/locked.tsx";
import { ReadOnlyNote } from "#components/kit/access.tsx";
import { one, type SearchParams, withQuery } from "#components/kit/list/search-params.ts";
import { nameOf, PeopleTable } from "#components/persons/people-table.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { Badge, Status } from "#components/ui/display/badge.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { UnreadableNote } from "#components/ui/display/unreadable.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { requireWho } from "#lib/app/session/who.ts";
import { cohortContract } from "#lib/people/cohorts/contract.ts";
import type { CohortRecord } from "#lib/people/cohorts/schema.ts";
import { setsOf } from "#lib/people/cohorts/words.ts";
import { allows } from "#lib/platform/http/scopes.ts";
import { cohortActions } from "../cohort-actions.ts";
import { cohortAccess, cohortNames, readCohort, usersOf } from "../reads.ts";

type Props = {
  params: Promise<{ project_id: string; id: string }>;
  searchParams: Promise<SearchParams>;
};

const PAGE_SIZE = "50";

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { project_id, id } = await params;
  return { title: (await readCohort(await getApi(), project_id, id))?.name ?? "Cohort" };
}

export default async function CohortPage({ params, searchParams }: Props) {
  const { project_id, id } = await params;
  const cursor = one((await searchParams).cursor);
  const { api, who } = await requireWho();
  if (!allows(who.scopes, "cohort:read")) return <Locked what="cohorts" scope="cohort:read" />;
  const cohort = await readCohort(api, project_id, id);
  if (!cohort) notFound();
  const [access, names, users] = await Promise.all([
    cohortAccess(),
    cohortNames(api, project_id),
    usersOf(api, project_id, cohort.id),
  ]);
  return (
    <Page>
      <PageHeader
        title={cohort.name}
        crumbs={[{ label: "Cohorts", href: `/project/${project_id}/cohorts` as Route }]}
        mark={
          cohort.deleted ? (
            <Status status="deleted" />
          ) : (
            <Badge>{cohort.is_static ? "A list of people" : "By properties"}</Badge>
          )
        }
        description={cohort.description || undefined}
        actions={
          <CohortButtons
            projectId={project_id}
            cohort={cohort}
            access={access}
            actions={cohortActions}
            users={[
              ...(users.flags ?? []).map((flag) => flag.key),
              ...users.cohorts.map((other) => other.name),
            ]}
          />
        }
      />
      <ReadOnlyNote access={access} />
      <UnreadableNote fields={cohort.unreadable_fields} noun="cohort" />
      <CohortFacts projectId={project_id} cohort={cohort} names={names} users={users} />
      <Members projectId={project_id} cohort={cohort} cursor={cursor} mayChange={access.may_write} />
    </Page>
  );
}

type MembersProps = { projectId: string; cohort: CohortRecord; cursor: string; mayChange: boolean };

/** Properties used in the definition: shown first for its members. */
const columnsOf = (cohort: CohortRecord): string[] =>
  [
    ...new Set(
      (setsOf(cohort.filters) ?? []).flat().flatMap((row) => (row.type === "person" ? [row.key] : [])),
    ),
  ]
    .filter((name) => name !== "email" && name !== "name")
    .slice(0, 5);

async function Members({ projectId, cohort, cursor, mayChange }: MembersProps) {
  const api = await getApi();
  const page = await api.call(cohortContract.persons, {
    params: { project_id: projectId, id: String(cohort.id) },
    query: { limit: PAGE_SIZE, cursor: /^\d{1,15}$/.test(cursor) ? cursor : undefined },
  });
  const here = `/project/${projectId}/cohorts/${cohort.id}`;
  const next = page.next && new URL(page.next).searchParams.get("cursor");
  return (
    <section aria-labelledby="members">
      <h2 id="members" className="mb-2 font-semibold text-base">
        Members
      </h2>
      {page.results.length > 0 ? (
        <PeopleTable
          projectId={projectId}
          people={page.results}
          columns={columnsOf(cohort)}
          caption={`Members of ${cohort.name}`}
          {...(cohort.is_static && mayChange
            ? {
                action: (person) => (
                  <RemoveMember
                    projectId={projectId}
                    cohortId={cohort.id}
                    person={{ id: person.id, name: nameOf(person) }}
                    actions={cohortActions}
                  />
                ),
              }
            : {})}
        />
      ) : (
        <EmptyState title={cursor || next ? "No members on this page" : "No members yet"}>
          {cursor || next
            ? "Later pages may have members."
            : cohort.is_static
              ? "Add people by their distinct ids."
              : "Nobody matches the definition yet. New matches join automatically."}
        </EmptyState>
      )}
      <nav aria-label="Pages" className="flex items-center justify-between gap-3 py-3 text-muted text-xs">
        <p>{page.results.length > 0 ? "In the order in which they were stored." : ""}</p>
        <span className="flex gap-1.5">
          {cursor ? (
            <ButtonLink href={here as Route} size="sm">
              First page
            </ButtonLink>
          ) : null}
          {next ? (
            <ButtonLink href={withQuery(here, { cursor: next }) as Route} size="sm" rel="next">
              Next
            </ButtonLink>
          ) : null}
        </span>
      </nav>
    </section>
  );
}
