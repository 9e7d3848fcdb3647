import { ShieldCheck } from "lucide-react";
import type { Metadata, Route } from "next";
import { Locked } from "#components/frame/locked.tsx";
import { one, type SearchParams, withQuery } from "#components/kit/list/search-params.ts";
import { PeopleTabs } from "#components/persons/people-tabs.tsx";
import { totalRows } from "#components/persons/stored-rows.tsx";
import { Badge } from "#components/ui/display/badge.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/display/table.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import { permitted } from "#lib/app/session/permitted.ts";
import { requireWho } from "#lib/app/session/who.ts";
import { erasureContract } from "#lib/people/erasures/contract.ts";

export const metadata: Metadata = { title: "Erasures" };

type Props = { params: Promise<{ project_id: string }>; searchParams: Promise<SearchParams> };

const LIMIT = 50;

export default async function ErasuresPage({ params, searchParams }: Props) {
  const { project_id } = await params;
  const offset = Math.max(0, Number.parseInt(one((await searchParams).offset), 10) || 0);
  const { api } = await requireWho();
  const page = await permitted(
    api.call(erasureContract.list, {
      params: { project_id },
      query: { limit: String(LIMIT), offset: String(offset) },
    }),
  );
  if (!page) return <Locked what="erasures" scope="person:read" />;
  const here = `/project/${project_id}/persons/erasures`;
  return (
    <Page>
      <PageHeader
        title="People & cohorts"
        description="People who were erased, with a certificate for each."
        tabs={<PeopleTabs projectId={project_id} current="erasures" />}
      />
      {page.results.length === 0 ? (
        <EmptyState icon={ShieldCheck} title="Nobody has been erased">
          To erase somebody, open their page and choose Erase person.
        </EmptyState>
      ) : (
        <Table caption="Erasures" minWidth="">
          <TableHead>
            <Th>Person</Th>
            <Th>State</Th>
            <Th>Requested</Th>
            <Th>Deleted</Th>
          </TableHead>
          <TableBody>
            {page.results.map((erasure) => (
              <Tr key={erasure.id}>
                <Td className="break-all font-mono text-xs">
                  <TextLink href={`${here}/${erasure.id}` as Route}>{erasure.person_uuid}</TextLink>
                </Td>
                <Td>
                  {erasure.state === "finished" ? (
                    <Badge tone="success">Finished</Badge>
                  ) : (
                    <Badge>Running</Badge>
                  )}
                </Td>
                <Td>
                  <RelativeTime date={erasure.requested_at} />
                </Td>
                <Td>{totalRows(erasure.removed)}</Td>
              </Tr>
            ))}
          </TableBody>
        </Table>
      )}
      {page.count > 0 ? (
        <Pagination
          offset={offset}
          limit={LIMIT}
          count={page.count}
          noun={page.count === 1 ? "erasure" : "erasures"}
          hrefFor={(next) => withQuery(here, { offset: next > 0 ? String(next) : undefined }) as Route}
        />
      ) : null}
    </Page>
  );
}
