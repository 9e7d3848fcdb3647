"use client";

import { FlagOff } from "lucide-react";
import type { Route } from "next";
import { useParams } from "next/navigation";
import { ButtonLink } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/page-header.tsx";

export default function FlagNotFound() {
  const { project_id } = useParams<{ project_id: string }>();
  return (
    <Page width="form">
      <PageHeader title="Not found" />
      <EmptyState
        icon={FlagOff}
        title="There is no such flag"
        actions={
          <ButtonLink href={`/project/${project_id}/feature_flags` as Route}>To the feature flags</ButtonLink>
        }
      >
        It may belong to another project, or the address has a mistake in it.
      </EmptyState>
    </Page>
  );
}
