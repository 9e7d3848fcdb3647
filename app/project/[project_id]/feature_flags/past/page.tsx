import { FilterX, Lock } from "lucide-react";
import type { Metadata, Route } from "next";
import { PastChanges } from "#components/feature_flags/past/past-changes.tsx";
import { PastForm } from "#components/feature_flags/past/past-form.tsx";
import { PastList } from "#components/feature_flags/past/past-list.tsx";
import { momentsOf, type PastQuery, pastList } from "#components/feature_flags/past/past-query.ts";
import type { SearchParams } from "#components/kit/list/search-params.ts";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { permitted } from "#lib/app/session/permitted.ts";
import { pastContract } from "#lib/flags/feature_flags/past/past-contract.ts";
import { formatMomentIn } from "#lib/platform/format.ts";
import { namesFor, timezoneOf } from "../reads.ts";

export const metadata: Metadata = { title: "Flags at a point in time" };

type Props = { params: Promise<{ project_id: string }>; searchParams: Promise<SearchParams> };

const CHANGES_SHOWN = "100";

export default async function PastPage({ params, searchParams }: Props) {
  const { project_id } = await params;
  const query = pastList.read(await searchParams);
  const zone = await timezoneOf(project_id);
  const moments = momentsOf(query, zone, Date.now());
  return (
    <Page width="wide">
      <PageHeader
        crumbs={[{ label: "Feature flags", href: `/project/${project_id}/feature_flags` as Route }]}
        title="Flags at a point in time"
        description="Which flags existed, whom they served, and what had changed by then."
      />
      <div className="flex flex-col gap-4">
        <PastForm projectId={project_id} query={query} zone={zone} {...moments} />
        <Past projectId={project_id} query={query} zone={zone} {...moments} />
      </div>
    </Page>
  );
}

type PastProps = {
  projectId: string;
  query: PastQuery;
  zone: string;
  to: number;
  from: number;
  problem: string | null;
};

async function Past({ projectId, query, zone, to, from, problem }: PastProps) {
  const api = await getApi();
  const params = { project_id: projectId };
  const [at, since] = [new Date(to).toISOString(), new Date(from).toISOString()];
  const { search, person, offset } = query;
  const [found, changes] = await Promise.all([
    permitted(
      api.call(pastContract.past, {
        params,
        query: {
          at,
          search: search || undefined,
          distinct_id: person || undefined,
          limit: String(pastList.pageSize),
          offset: String(offset),
        },
      }),
    ),
    problem
      ? null
      : permitted(
          api.call(pastContract.past_changes, {
            params,
            query: { from: since, to: at, limit: CHANGES_SHOWN },
          }),
        ),
  ]);
  if (!found)
    return (
      <EmptyState icon={Lock} title="Your API key cannot read the activity log">
        Sign in with a key that has the scope activity_log:read.
      </EmptyState>
    );
  const names = await namesFor(api, projectId, found.results);
  return (
    <>
      {changes && offset === 0 ? (
        <PastChanges
          projectId={projectId}
          changes={changes.results}
          count={changes.count}
          from={from}
          to={to}
          zone={zone}
        />
      ) : null}
      <section aria-labelledby="flags-then" className="flex flex-col gap-2">
        <h2 id="flags-then" className="font-medium text-sm">{`Flags on ${formatMomentIn(to, zone)}`}</h2>
        {person ? (
          <p className="text-muted text-xs">
            {`Values for ${person}, whose properties and cohorts are taken as they are now.`}
          </p>
        ) : null}
        {found.results.length === 0 ? (
          <EmptyState icon={FilterX} title="No flags">
            {search ? "No key or description contained this then." : "The project had no flags then."}
          </EmptyState>
        ) : (
          <PastList projectId={projectId} flags={found.results} names={names} hasPerson={person !== ""} />
        )}
        <Pagination
          offset={offset}
          limit={pastList.pageSize}
          count={found.count}
          noun={found.count === 1 ? "flag" : "flags"}
          hrefFor={(next) => pastList.href(projectId, query, { offset: next })}
        />
      </section>
    </>
  );
}
