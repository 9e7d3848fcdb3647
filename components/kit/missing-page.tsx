"use client";

import type { LucideIcon } from "lucide-react";
import type { Route } from "next";
import { useParams } from "next/navigation";
import { ButtonLink } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";

type Props = {
  icon: LucideIcon;
  /** What is missing: "Survey". */
  what: string;
  /** Why it may be missing. */
  children: string;
  /** Where to go from here: a path below the project, and what it leads to. */
  path: string;
  place: string;
};

/** A page of something that does not exist: says what may have happened, and leads to the list of its kind. */
export function MissingPage({ icon, what, children, path, place }: Props) {
  const { project_id } = useParams<{ project_id: string }>();
  return (
    <Page width="form">
      <PageHeader title={`${what} not found`} />
      <EmptyState
        icon={icon}
        title="Nothing is at this address"
        actions={<ButtonLink href={`/project/${project_id}/${path}` as Route}>{`Go to ${place}`}</ButtonLink>}
      >
        {children}
      </EmptyState>
    </Page>
  );
}
