"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { callFromBrowser } from "#components/kit/use-endpoint.ts";
import { useSettled } from "#components/kit/use-settled.ts";
import type {
  BulkWhoChangesAnswer,
  WhoChangesAnswer,
  whoChangesContract,
} from "#lib/flags/feature_flags/who_changes/who-changes-contract.ts";
import { canonical } from "#lib/platform/canonical.ts";
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

/** The partial result of a change before everyone is counted. */
export type Effects = Pick<WhoChangesAnswer, "consequences" | "reaches_everyone" | "refusal">;

type Counts = Pick<WhoChangesAnswer, "total" | "changed" | "cells">;

/** Two parts of one count as one. */
function sumOf<T extends Counts>(first: T, second: Counts): T {
  const cells = new Map(first.cells.map((cell) => [JSON.stringify([cell.before, cell.after]), cell]));
  for (const cell of second.cells) {
    const name = JSON.stringify([cell.before, cell.after]);
    cells.set(name, { ...cell, count: cell.count + (cells.get(name)?.count ?? 0) });
  }
  return {
    ...first,
    total: first.total + second.total,
    changed: first.changed + second.changed,
    cells: [...cells.values()].sort((a, b) => b.count - a.count),
  };
}

/** The same for counts of several flags. */
function sumEach<T extends Counts & { id: number }>(first: readonly T[], second: readonly T[]): T[] {
  const more = new Map(second.map((flag) => [flag.id, flag]));
  return first.map((flag) => {
    const rest = more.get(flag.id);
    return rest ? sumOf(flag, rest) : flag;
  });
}

const addPart = (whole: WhoChangesAnswer, part: WhoChangesAnswer): WhoChangesAnswer => ({
  ...sumOf(whole, part),
  dependents: sumEach(whole.dependents, part.dependents),
  next: part.next,
});

const addBulkPart = (whole: BulkWhoChangesAnswer, part: BulkWhoChangesAnswer): BulkWhoChangesAnswer => ({
  ...whole,
  people: {
    total: whole.people.total + part.people.total,
    changed: whole.people.changed + part.people.changed,
  },
  flags: sumEach(whole.flags, part.flags),
  dependents: sumEach(whole.dependents, part.dependents),
  next: part.next,
});

type Counting<T> =
  /** `part` is what is counted so far; its effects are complete. */
  | { state: "counting"; part: T | undefined }
  | { state: "failed"; problem: string }
  | { state: "counted"; found: T };

type Reads<Body, T> = (body: Body & { after_person?: number }, signal: AbortSignal) => Promise<T>;

/** Counts everyone shortly after the last edit; for very many people, the API responds in parts. */
function useParts<Body extends object, T extends { next: number | null }>(
  name: readonly string[],
  body: Body,
  read: Reads<Body, T>,
  add: (whole: T, part: T) => T,
  enabled: boolean,
): Counting<T> {
  const { value, settled } = useSettled(body, canonical(body));
  const [part, setPart] = useState<{ of: object; whole: T }>();
  const query = useQuery<T, Error>({
    queryKey: [...name, canonical(value)],
    queryFn: async ({ signal }) => {
      let whole = await read(value, signal);
      while (whole.next !== null) {
        setPart({ of: value, whole });
        whole = add(whole, await read({ ...value, after_person: whole.next }, signal));
      }
      return whole;
    },
    enabled: enabled && settled,
    // What is shown before a save must be current.
    staleTime: 5_000,
    retry: false,
  });
  if (!settled || query.isPending)
    return { state: "counting", part: settled && part?.of === value ? part.whole : undefined };
  if (query.isError) return { state: "failed", problem: query.error.message };
  return { state: "counted", found: query.data };
}

/** Whose value a change of one flag would change. While another change is counted there is no figure. */
export const useWhoChanges = (projectId: string, proposed: Proposed, enabled = true) =>
  useParts(
    ["who-changes", projectId],
    proposed,
    (body, signal) =>
      callFromBrowser<typeof whoChangesContract.who_changes>(
        "/api/projects/{project_id}/feature_flags/who_changes/",
        { params: { project_id: projectId }, body },
        signal,
      ),
    addPart,
    enabled,
  );

/** The same for several stored flags that change together. */
export const useBulkWhoChanges = (
  projectId: string,
  changes: Body<"bulk_who_changes">["changes"],
  enabled: boolean,
) =>
  useParts(
    ["who-changes-of-several", projectId],
    { changes },
    (body, signal) =>
      callFromBrowser<typeof whoChangesContract.bulk_who_changes>(
        "/api/projects/{project_id}/feature_flags/who_changes/bulk/",
        { params: { project_id: projectId }, body },
        signal,
      ),
    addBulkPart,
    enabled,
  );
