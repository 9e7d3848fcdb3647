"use client";

import { type UseQueryOptions, useQuery } from "@tanstack/react-query";
import { createClient } from "#lib/platform/http/client.ts";
import type { Answer, Call, Endpoint } from "#lib/platform/http/contract.ts";
import type { ApiError } from "#lib/platform/http/errors.ts";

/** Calls an endpoint that only reads from the browser, through the server that keeps the key. */
export function callFromBrowser<E extends Endpoint>(declared: E, call: Call<E>, signal?: AbortSignal) {
  const client = createClient({
    base: `${window.location.origin}/bff`,
    key: null,
    send: (request) => fetch(request, { signal: signal ?? null, cache: "no-store" }),
  });
  return client.call(declared, call as never);
}

/** The start of the key under which an endpoint's answers are cached. */
export const endpointKey = ({ method, path }: Endpoint) => [method, path];

/** The same as a TanStack query, cached under the endpoint's path and its input. */
export function useEndpoint<E extends Endpoint>(
  declared: E,
  call: Call<E>,
  options: Omit<UseQueryOptions<Answer<E>, ApiError>, "queryKey" | "queryFn"> = {},
) {
  return useQuery<Answer<E>, ApiError>({
    ...options,
    queryKey: [...endpointKey(declared), call],
    queryFn: ({ signal }) => callFromBrowser(declared, call, signal),
  });
}
