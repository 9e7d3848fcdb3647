"use client";

import { FlagOff } from "lucide-react";
import type { Route } from "next";
import { useParams } from "next/navigation";
import { ButtonLink } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";

export default function FlagNotFound() {
  const { project_id } = useParams<{ project_id: string }>();
  return (
    <Page width="form">
      <PageHeader title="Not found" />
      <EmptyState
        icon={FlagOff}
        title="Flag not found"
        actions={
          <ButtonLink href={`/project/${project_id}/feature_flags` as Route}>Go to feature flags</ButtonLink>
        }
      >
        It may belong to another project, or the address may be wrong.
      </EmptyState>
    </Page>
  );
}
