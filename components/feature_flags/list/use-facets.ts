"use client";

import { useEndpoint } from "#components/kit/use-endpoint.ts";
import type { flagContract } from "#lib/flags/feature_flags/contract.ts";

/** Tags and creators of the project's flags, loaded on first use. */
export const useFacets = (projectId: string, enabled = true) =>
  useEndpoint<typeof flagContract.facets>(
    "/api/projects/{project_id}/feature_flags/facets/",
    { params: { project_id: projectId } },
    { enabled, staleTime: 30_000 },
  );
