"use client";

import type { ReactNode } from "react";
import { useEndpoint } from "#components/kit/use-endpoint.ts";
import type { surveyContract } from "#lib/surveys/surveys/contract.ts";

type Props = { projectId: string; surveyId: string; className?: string; children: ReactNode };

/** Opens the page of a hosted survey in a new tab, where nothing is recorded. */
export function PreviewLink({ projectId, surveyId, className, children }: Props) {
  const { data } = useEndpoint<typeof surveyContract.preview>(
    "/api/projects/{project_id}/surveys/{id}/preview/",
    { params: { project_id: projectId, id: surveyId } },
    { staleTime: Number.POSITIVE_INFINITY },
  );
  return (
    <a
      href={data?.path}
      target="_blank"
      rel="noreferrer"
      aria-disabled={!data || undefined}
      className={className}
    >
      {children}
      <span className="sr-only"> in a new tab; nothing is recorded</span>
    </a>
  );
}
