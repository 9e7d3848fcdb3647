"use client";

import { type UseQueryOptions, useQuery } from "@tanstack/react-query";
import { addressOf, errorFrom } from "#lib/platform/http/call.ts";
import type { Answer, Call, Endpoint } from "#lib/platform/http/contract.ts";
import { ApiError } from "#lib/platform/http/errors.ts";

/**
 * Calls an endpoint that only reads from the browser, through the server that keeps the key.
 *
 * The endpoint is named by its type and its path, which has to be that of the type: a contract itself holds the
 * schemas of everything in it, and they would weigh more than the rest of most pages.
 */
export async function callFromBrowser<E extends Endpoint>(
  path: E["path"],
  call: Call<E>,
  signal?: AbortSignal,
): Promise<Answer<E>> {
  const { params, query, body } = call as Parameters<typeof addressOf>[2] & { body?: unknown };
  const isPost = body !== undefined;
  const response = await fetch(addressOf(path, `${window.location.origin}/bff`, { params, query }), {
    method: isPost ? "POST" : "GET",
    ...(isPost && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    signal: signal ?? null,
    cache: "no-store",
    redirect: "error",
  });
  if (!response.ok) throw await errorFrom(response);
  return response.json().catch(() => {
    throw new ApiError(502, "server_error", "error", "The service sent an answer that cannot be read.");
  });
}

/** The same as a TanStack query, cached under the endpoint's path and its input. */
export function useEndpoint<E extends Endpoint>(
  path: E["path"],
  call: Call<E>,
  options: Omit<UseQueryOptions<Answer<E>, ApiError>, "queryKey" | "queryFn"> = {},
) {
  return useQuery<Answer<E>, ApiError>({
    ...options,
    queryKey: [path, call],
    queryFn: ({ signal }) => callFromBrowser<E>(path, call, signal),
  });
}
