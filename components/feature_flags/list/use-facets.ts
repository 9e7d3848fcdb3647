"use client";

import { useEndpoint } from "#components/kit/use-endpoint.ts";
import { flagContract } from "#lib/flags/feature_flags/contract.ts";

/** Tags and creators of the project's flags, loaded on first use. */
export const useFacets = (projectId: string, enabled = true) =>
  useEndpoint(flagContract.facets, { params: { project_id: projectId } }, { enabled, staleTime: 30_000 });
