import { Layers, Lock } from "lucide-react";
import type { Metadata, Route } from "next";
import {
  type EnvironmentQuery,
  environmentList,
} from "#components/feature_flags/environments/environment-list.ts";
import { EnvironmentSearch } from "#components/feature_flags/environments/environment-search.tsx";
import { EnvironmentTable } from "#components/feature_flags/environments/environment-table.tsx";
import { ListPage } from "#components/kit/list/list-page.tsx";
import type { SearchParams } from "#components/kit/list/search-params.ts";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { TabLinks } from "#components/ui/display/tab-links.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { permitted } from "#lib/app/session/permitted.ts";
import {
  type EnvironmentRecord,
  flagEnvironmentContract,
  SETTLED_AFTER_DAYS,
} from "#lib/flags/environments/contract.ts";

export const metadata: Metadata = { title: "Environments" };

type Props = { params: Promise<{ project_id: string }>; searchParams: Promise<SearchParams> };

export default async function EnvironmentsPage({ params, searchParams }: Props) {
  const { project_id } = await params;
  const query = environmentList.read(await searchParams);
  const api = await getApi();
  const found = await permitted(
    api.call(flagEnvironmentContract.matrix, {
      params: { project_id },
      query: {
        search: query.search || undefined,
        state: query.state || undefined,
        with: query.with || undefined,
        limit: String(environmentList.pageSize),
        offset: String(query.offset),
      },
    }),
  );
  const current = found?.environments.find(({ is_current }) => is_current);
  const header = (
    <PageHeader
      crumbs={[{ label: "Feature flags", href: `/project/${project_id}/feature_flags` as Route }]}
      title="Environments"
      description={
        current
          ? `Flags with the same key in each environment, and what differs from ${current.name}.`
          : "Flags with the same key in each environment."
      }
    />
  );
  if (!found)
    return (
      <Page>
        {header}
        <EmptyState icon={Lock} title="Your API key cannot read feature flags">
          Sign in with a key that has the scope feature_flag:read.
        </EmptyState>
      </Page>
    );
  if (!current)
    return (
      <Page>
        {header}
        <EmptyState
          icon={Layers}
          title="This project has no other environments"
          actions={
            <ButtonLink href={`/project/${project_id}/settings/project#environments` as Route}>
              Link environments
            </ButtonLink>
          }
        >
          Link it with the projects that are its staging or production, to compare flags and promote changes.
        </EmptyState>
      </Page>
    );
  const others = found.environments.filter(({ is_current }) => !is_current);
  const shown = found.environments.filter(
    ({ project_id: id, is_current }) => is_current || !query.with || String(id) === query.with,
  );
  const targets = others.filter(({ may_write }) => may_write);
  return (
    <Page width="wide">
      {header}
      <ListPage
        list={environmentList}
        projectId={project_id}
        count={found.count}
        query={query}
        filters={<Filters projectId={project_id} query={query} counts={found.counts} others={others} />}
      >
        {found.results.length === 0 ? null : (
          <form method="get" className="flex flex-col gap-3">
            <input type="hidden" name="from" value={project_id} />
            <EnvironmentTable environments={shown} rows={found.results} choosing={targets.length > 0} />
            <div className="flex flex-wrap items-center gap-2">
              {targets.map(({ project_id: to, name }) => (
                <Button key={to} type="submit" formAction={`/project/${to}/feature_flags/promote`}>
                  {`Promote chosen flags to ${name}…`}
                </Button>
              ))}
              {others
                .filter(({ may_write }) => !may_write)
                .map(({ project_id: to, name, reason }) => (
                  <span key={to} className="text-muted text-xs">{`${name}: ${reason}`}</span>
                ))}
            </div>
          </form>
        )}
      </ListPage>
    </Page>
  );
}

type FiltersProps = {
  projectId: string;
  query: EnvironmentQuery;
  counts: Readonly<
    Record<"all" | "same" | "differs" | "only_here" | "missing_here" | "needs_attention", number>
  >;
  others: readonly EnvironmentRecord[];
};

function Filters({ projectId, query, counts, others }: FiltersProps) {
  return (
    <div className="mb-3 flex flex-col gap-3">
      <TabLinks
        label="Which flags"
        tabs={environmentList.params.state.options.map(({ value, label }) => ({
          label,
          count: counts[value || "all"],
          href: environmentList.href(projectId, query, { state: value }),
          current: query.state === value,
        }))}
      />
      {query.state === "needs_attention" ? (
        <p className="text-muted text-xs">
          {`Flags that are on here and differ from the environment before, or are off or deleted there, and that nobody has changed for ${SETTLED_AFTER_DAYS} days. Percentages, descriptions and tags may differ.`}
        </p>
      ) : null}
      <div className="flex flex-wrap items-center gap-x-5 gap-y-2">
        <EnvironmentSearch projectId={projectId} query={query} />
        {others.length > 1 ? (
          <TabLinks
            label="Compared with"
            className="border-b-0"
            tabs={[{ project_id: "", name: "All environments" }, ...others].map(({ project_id, name }) => ({
              label: name,
              href: environmentList.href(projectId, query, { with: String(project_id) }),
              current: query.with === String(project_id),
            }))}
          />
        ) : null}
      </div>
    </div>
  );
}
