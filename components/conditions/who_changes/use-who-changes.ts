"use client";

import { useCount } from "#components/kit/use-count.ts";
import type {
  WhoChangesAnswer,
  whoChangesContract,
} from "#lib/flags/feature_flags/who_changes/who-changes-contract.ts";
import type { Call } from "#lib/platform/http/contract.ts";

type Body<Name extends keyof typeof whoChangesContract> = NonNullable<
  Call<(typeof whoChangesContract)[Name]>["body"]
>;

/** A flag as it would be saved; absent fields stay as stored. */
export type Proposed = Omit<Body<"who_changes">, "after_person"> & {
  /** The stored flag; null for a new one. */
  id: number | null;
};

export type Cell = WhoChangesAnswer["cells"][number];

/** What is known of a change before everyone is counted. */
export type Effects = Pick<WhoChangesAnswer, "consequences" | "reaches_everyone" | "refusal">;

/** What is shown before a save must be current. */
const STALE_MS = 5_000;

/** Whose value a change of one flag would change. */
export const useWhoChanges = (projectId: string, proposed: Proposed, enabled = true) =>
  useCount<typeof whoChangesContract.who_changes>(
    "/api/projects/{project_id}/feature_flags/who_changes/",
    { params: { project_id: projectId }, body: proposed },
    { enabled, staleTime: STALE_MS },
  );

/** The same for several stored flags that change together. */
export const useBulkWhoChanges = (
  projectId: string,
  changes: Body<"bulk_who_changes">["changes"],
  enabled: boolean,
) =>
  useCount<typeof whoChangesContract.bulk_who_changes>(
    "/api/projects/{project_id}/feature_flags/who_changes/bulk/",
    { params: { project_id: projectId }, body: { changes } },
    { enabled, staleTime: STALE_MS },
  );
