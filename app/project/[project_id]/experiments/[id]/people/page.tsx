import type { Metadata, Route } from "next";
import { notFound } from "next/navigation";
import { peopleHref } from "#components/experiment_results/links.ts";
import { unitWord } from "#components/experiment_results/model.ts";
import { PeopleList } from "#components/experiment_results/people_list.tsx";
import { describePeople, readPeopleQuery } from "#components/experiment_results/people_query.ts";
import { Callout } from "#components/ui/callout.tsx";
import { Page, PageHeader } from "#components/ui/page-header.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { getApi } from "#lib/dashboard/api.ts";
import { permitted } from "#lib/dashboard/permitted.ts";
import { experimentResultContract } from "#lib/experiment_results/contract.ts";
import { experimentBy } from "../../reads.ts";

export const metadata: Metadata = { title: "People of an experiment" };

const PAGE_SIZE = 50;

type Props = {
  params: Promise<{ project_id: string; id: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
};

/** How the rows and the figure belong together. */
function countedText({ count, sum }: { count: number; sum: number | null }, unit: string): string {
  if (sum === null)
    return `${count.toLocaleString("en")}, counted by the same reading of the events as the figure.`;
  const who = `${count.toLocaleString("en")} ${count === 1 ? unit : unitWord(unit)}`;
  const total = sum.toLocaleString("en", { maximumSignificantDigits: 15 });
  return `${who} ${count === 1 ? "adds" : "add"} up to exactly ${total}, the figure. Whoever adds the most comes first.`;
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
    permitted(api.call(experimentResultContract.results, call)),
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
        description={found ? countedText(found, results?.unit ?? "person") : null}
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
        <Callout tone="warning" title="This key may not read people">
          Opening a figure takes the scope person:read.
        </Callout>
      )}
    </Page>
  );
}
