import type { Metadata, Route } from "next";
import { notFound } from "next/navigation";
import { peopleHref } from "#components/experiments/results/links.ts";
import { PeopleList } from "#components/experiments/results/people-list.tsx";
import { describePeople, readPeopleQuery } from "#components/experiments/results/people-query.ts";
import { Callout } from "#components/ui/display/callout.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { permitted } from "#lib/app/session/permitted.ts";
import { experimentResultContract } from "#lib/experiments/results/contract.ts";
import { unitCount } from "#lib/experiments/results/unit-words.ts";
import { plural } from "#lib/platform/format.ts";
import { experimentBy } from "../../reads.ts";

export const metadata: Metadata = { title: "People in an experiment" };

const PAGE_SIZE = 50;

type Props = {
  params: Promise<{ project_id: string; id: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
};

/** How the rows and the figure belong together. */
function describeCount({ count, sum }: { count: number; sum: number | null }, unit: string): string {
  if (sum === null) return `${plural(count, "row")}: exactly those the figure counts.`;
  const who = unitCount(count, unit);
  const total = sum.toLocaleString("en", { maximumSignificantDigits: 15 });
  return `${who} ${count === 1 ? "adds" : "add"} up to exactly ${total}, the figure. Largest values first.`;
}

/** Exactly the people that a figure of the results counts. */
export default async function ExperimentPeoplePage({ params, searchParams }: Props) {
  const { project_id, id } = await params;
  const query = readPeopleQuery(await searchParams);
  const api = await getApi();
  const experiment = await experimentBy(api, project_id, id);
  if (!experiment || !query) notFound();
  const call = { params: { project_id, id } };
  const [results, found] = await Promise.all([
    permitted(api.call(experimentResultContract.results, { ...call, query: { look: "false" } })),
    permitted(
      api.call(experimentResultContract.results_people, {
        ...call,
        query: { ...query, limit: String(PAGE_SIZE), offset: String(query.offset ?? 0) },
      }),
    ),
  ]);
  const metric = results?.metrics.find(({ uuid }) => uuid === query.metric_uuid);
  const variants = results?.variants ?? [];
  const title = describePeople(query, metric?.name ?? null);
  const base = `/project/${project_id}/experiments` as const;
  return (
    <Page width="wide">
      <PageHeader
        title={title}
        crumbs={[
          { label: "Experiments", href: base as Route },
          { label: experiment.name, href: `${base}/${id}` as Route },
        ]}
        description={found ? describeCount(found, results?.unit ?? "person") : null}
      />
      {found ? (
        <>
          <PeopleList
            projectId={project_id}
            units={found.results}
            variants={variants}
            valueName={metric?.name ?? null}
            caption={title}
            sum={found.sum}
          />
          <Pagination
            offset={query.offset ?? 0}
            limit={PAGE_SIZE}
            count={found.count}
            noun={found.count === 1 ? "row" : "rows"}
            hrefFor={(offset) => peopleHref(project_id, experiment.id, { ...query, offset })}
          />
        </>
      ) : (
        <Callout tone="warning" title="Your API key may not read people">
          Sign in with a key that has the scope person:read.
        </Callout>
      )}
    </Page>
  );
}
