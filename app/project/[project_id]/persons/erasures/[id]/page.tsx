import type { Metadata, Route } from "next";
import { notFound } from "next/navigation";
import { ErasureView } from "#components/persons/erasure-view.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { permitted } from "#lib/app/session/permitted.ts";
import { requireWho } from "#lib/app/session/who.ts";
import { erasureContract } from "#lib/people/erasures/contract.ts";

export const metadata: Metadata = { title: "Erasure" };

type Props = { params: Promise<{ project_id: string; id: string }> };

export default async function ErasurePage({ params }: Props) {
  const { project_id, id } = await params;
  const { api } = await requireWho();
  const erasure = await permitted(api.call(erasureContract.retrieve, { params: { project_id, id } }));
  if (!erasure) notFound();
  return (
    <Page width="wide">
      <PageHeader
        crumbs={[
          { label: "People", href: `/project/${project_id}/persons` as Route },
          { label: "Erasures", href: `/project/${project_id}/persons/erasures` as Route },
        ]}
        title="Erasure of a person"
      />
      <ErasureView projectId={project_id} erasure={erasure} />
    </Page>
  );
}
