"use client";

import { callFromBrowser, useEndpoint } from "#components/kit/use-endpoint.ts";
import type { experimentContract } from "#lib/experiments/experiments/contract.ts";
import type { ExperimentRecord } from "#lib/experiments/experiments/schema.ts";
import { listDifferences } from "./changes.ts";

const POLL_MS = 15_000;

const callOf = (projectId: string, id: number) => ({ params: { project_id: projectId, id: String(id) } });

/** The experiment as it is now; null where it cannot be read. */
export const readCurrent = (projectId: string, id: number): Promise<ExperimentRecord | null> =>
  callFromBrowser<typeof experimentContract.retrieve>(
    "/api/projects/{project_id}/experiments/{id}/",
    callOf(projectId, id),
  ).catch(() => null);

/** A newer version than the edited one, if somebody else saved one that differs. */
export function useNewerVersion(projectId: string, base: ExperimentRecord | null): ExperimentRecord | null {
  const { data } = useEndpoint<typeof experimentContract.retrieve>(
    "/api/projects/{project_id}/experiments/{id}/",
    callOf(projectId, base?.id ?? 0),
    {
      enabled: base !== null,
      staleTime: 0,
      refetchInterval: POLL_MS,
      refetchOnWindowFocus: "always",
      retry: false,
    },
  );
  if (!base || !data || data.id !== base.id || data.version <= base.version) return null;
  return listDifferences(base, data).length > 0 ? data : null;
}
