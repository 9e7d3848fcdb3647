"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { canonical } from "#lib/feature_flags/differences.ts";
import type { WhoChangesAnswer } from "#lib/feature_flags/who_changes_contract.ts";
import { readByPost } from "./read_by_post.ts";
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
  results: { id: string; name: string; distinct_ids: string[] }[];
};

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

/** Counts everybody: of very many people the API answers part by part. */
async function countEverybody(
  path: string,
  proposed: Proposed,
  signal: AbortSignal,
  onPart: (people: number) => void,
): Promise<WhoChangesAnswer> {
  let whole = await readByPost<WhoChangesAnswer>(path, proposed, signal);
  while (whole.next !== null) {
    onPart(whole.total);
    const part = await readByPost<WhoChangesAnswer>(path, { ...proposed, after_person: whole.next }, signal);
    const more = new Map(part.dependents.map((flag) => [flag.id, flag]));
    const dependents = whole.dependents.map((flag) => {
      const rest = more.get(flag.id);
      return rest ? sumOf(flag, rest) : flag;
    });
    whole = { ...sumOf(whole, part), dependents, next: part.next };
  }
  return whole;
}

/**
 * Whose value a change would change, a moment after it was last touched. While another change is counted there is
 * no figure.
 */
export function useWhoChanges(projectId: string, proposed: Proposed, enabled = true) {
  const { value, settled } = useSettled(proposed, canonical(proposed));
  const [seen, setSeen] = useState(0);
  const query = useQuery<WhoChangesAnswer, Error>({
    queryKey: ["who-changes", projectId, canonical(value)],
    queryFn: ({ signal }) => {
      setSeen(0);
      return countEverybody(`/project/${projectId}/feature_flags/who_changes`, value, signal, setSeen);
    },
    enabled: enabled && settled,
    // What is said before a save has to be true now.
    staleTime: 5_000,
    retry: false,
  });
  if (!settled || query.isPending) return { state: "counting" as const, seen: settled ? seen : 0 };
  if (query.isError) return { state: "failed" as const, problem: query.error.message };
  return { state: "counted" as const, found: query.data };
}

type PeoplePart = CellPeople & { next_person: number | null };

/** Looks part by part until enough of a cell's people are found; how many there are, the cell says. */
async function findPeople(
  path: string,
  body: object,
  limit: number,
  signal: AbortSignal,
): Promise<CellPeople> {
  const results: CellPeople["results"] = [];
  for (let after: number | null = 0; after !== null && results.length < limit; ) {
    const missing = limit - results.length;
    const part: PeoplePart = await readByPost(
      `${path}?limit=${missing}`,
      { ...body, after_person: after },
      signal,
    );
    results.push(...part.results);
    after = part.next_person;
  }
  return { results };
}

/** The people behind one count, `limit` of them. */
export function useCellPeople(projectId: string, proposed: Proposed, cell: Cell, limit: number) {
  const body = { ...proposed, before: cell.before, after: cell.after };
  return useQuery<CellPeople, Error>({
    queryKey: ["who-changes-people", projectId, canonical(body), limit],
    queryFn: ({ signal }) =>
      findPeople(`/project/${projectId}/feature_flags/who_changes/people`, body, limit, signal),
    retry: false,
    placeholderData: (before) => before,
  });
}
