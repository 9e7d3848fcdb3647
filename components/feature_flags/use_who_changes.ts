"use client";

import { useQuery } from "@tanstack/react-query";
import { canonical } from "#lib/feature_flags/differences.ts";
import type { WhoChangesAnswer } from "#lib/feature_flags/who_changes_contract.ts";
import { useSettled } from "./use_reach.ts";

/** A flag as it would be saved; what is absent stays as it is stored. */
export type Proposed = {
  /** The stored flag; null for a new one. */
  id: number | null;
  key?: string;
  active?: boolean;
  filters?: object;
  deleted?: boolean;
};

export type Cell = WhoChangesAnswer["cells"][number];

export type CellPeople = {
  count: number;
  results: { id: string; name: string; distinct_ids: string[] }[];
};

async function post<T>(path: string, body: object, signal: AbortSignal): Promise<T> {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal,
  });
  const answer = await response.json().catch(() => null);
  if (!response.ok) throw new Error(answer?.detail ?? "The people could not be counted.");
  return answer;
}

/**
 * Whose value a change would change, a moment after it was last touched. While another change is counted there is
 * no figure.
 */
export function useWhoChanges(projectId: string, proposed: Proposed, enabled = true) {
  const { value, settled } = useSettled(proposed, canonical(proposed));
  const query = useQuery<WhoChangesAnswer, Error>({
    queryKey: ["who-changes", projectId, canonical(value)],
    queryFn: ({ signal }) => post(`/project/${projectId}/feature_flags/who_changes`, value, signal),
    enabled: enabled && settled,
    // What is said before a save has to be true now.
    staleTime: 5_000,
    retry: false,
  });
  if (!settled || query.isPending) return { state: "counting" as const };
  if (query.isError) return { state: "failed" as const, problem: query.error.message };
  return { state: "counted" as const, found: query.data };
}

/** The people behind one count, `limit` of them. */
export function useCellPeople(projectId: string, proposed: Proposed, cell: Cell, limit: number) {
  const body = { ...proposed, before: cell.before, after: cell.after };
  return useQuery<CellPeople, Error>({
    queryKey: ["who-changes-people", projectId, canonical(body), limit],
    queryFn: ({ signal }) =>
      post(`/project/${projectId}/feature_flags/who_changes/people?limit=${limit}`, body, signal),
    retry: false,
    placeholderData: (before) => before,
  });
}
