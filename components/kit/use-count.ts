"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { canonical } from "#lib/platform/canonical.ts";
import type { Answer, Call, Endpoint } from "#lib/platform/http/contract.ts";
import type { ApiError } from "#lib/platform/http/errors.ts";
import { callWithProgress, type Unfinished } from "./use-endpoint.ts";
import { useSettled } from "./use-settled.ts";

/** A count that takes a while where there are very many people. */
export type Counting<T> =
  /** `part` is what is counted so far. */
  | { state: "counting"; part: Unfinished<T> | null; stop: () => void }
  | { state: "stopped"; part: Unfinished<T> | null; resume: () => void }
  | { state: "failed"; problem: string }
  | { state: "counted"; found: T };

/**
 * Counts shortly after the last edit. The result belongs to exactly the call that was given: while another one is
 * counted there is no figure. Counting ends where nobody looks at it any more.
 */
export function useCount<E extends Endpoint>(
  path: E["path"],
  call: Call<E>,
  { enabled = true, staleTime }: { enabled?: boolean; staleTime: number },
): Counting<Answer<E>> {
  const { value, settled } = useSettled(call, canonical(call));
  const [reported, setReported] = useState<{ of: Call<E>; part: Unfinished<Answer<E>> }>();
  const queryKey = [path, "count", canonical(value)];
  const client = useQueryClient();
  const query = useQuery<Answer<E>, ApiError>({
    queryKey,
    queryFn: ({ signal }) =>
      callWithProgress<E>(path, value, (part) => setReported({ of: value, part }), signal),
    enabled: enabled && settled,
    staleTime,
    retry: false,
  });
  const part = settled && reported?.of === value ? reported.part : null;
  if (settled && query.isError) return { state: "failed", problem: query.error.message };
  if (settled && query.isSuccess) return { state: "counted", found: query.data };
  if (settled && enabled && query.fetchStatus === "idle")
    return { state: "stopped", part, resume: () => void query.refetch() };
  return { state: "counting", part, stop: () => void client.cancelQueries({ queryKey, exact: true }) };
}
