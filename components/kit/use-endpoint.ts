"use client";

import { type UseQueryOptions, useQuery } from "@tanstack/react-query";
import { addressOf, errorFrom } from "#lib/platform/http/call.ts";
import type { Answer, Call, Endpoint } from "#lib/platform/http/contract.ts";
import { ApiError } from "#lib/platform/http/errors.ts";
import { LINES, type ProgressLine } from "#lib/platform/http/progress-schema.ts";
import { createTurns, inTurn } from "#lib/platform/turns.ts";

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
  const response = await send<E>(path, call, {}, signal);
  return response.json().catch(() => {
    throw new ApiError(502, "server_error", "error", UNREADABLE);
  });
}

const UNREADABLE = "The service sent an answer that cannot be read.";

async function send<E extends Endpoint>(
  path: E["path"],
  call: Call<E>,
  headers: Record<string, string>,
  signal?: AbortSignal,
): Promise<Response> {
  const { params, query, body } = call as Parameters<typeof addressOf>[2] & { body?: unknown };
  const isPost = body !== undefined;
  const response = await fetch(addressOf(path, `${window.location.origin}/bff`, { params, query }), {
    method: isPost ? "POST" : "GET",
    headers: { ...headers, ...(isPost && { "content-type": "application/json" }) },
    ...(isPost && { body: JSON.stringify(body) }),
    signal: signal ?? null,
    cache: "no-store",
    redirect: "error",
  });
  if (!response.ok) throw await errorFrom(response);
  return response;
}

/** Browsers open about six connections to a site, and pages need some beside these, which may be open for long. */
const takeTurn = createTurns({ atOnce: 3, waitingMax: Number.POSITIVE_INFINITY });
let calls = 0;

/** The same for an endpoint that reports its progress. */
export function callWithProgress<E extends Endpoint>(
  path: E["path"],
  call: Call<E>,
  onProgress: (progress: Unfinished<Answer<E>>) => void,
  signal: AbortSignal,
): Promise<Answer<E>> {
  calls += 1;
  const turn = takeTurn(calls);
  signal.addEventListener("abort", turn.leave);
  return inTurn(turn, () => readProgress<E>(path, call, onProgress, signal));
}

async function readProgress<E extends Endpoint>(
  path: E["path"],
  call: Call<E>,
  onProgress: (progress: Unfinished<Answer<E>>) => void,
  signal: AbortSignal,
): Promise<Answer<E>> {
  const response = await send<E>(path, call, { accept: LINES }, signal);
  for await (const text of linesOf(response)) {
    const line: ProgressLine<Answer<E>> = JSON.parse(text);
    if ("error" in line) throw new ApiError(503, line.error.type, line.error.code, line.error.detail);
    if (line.done) return line.answer;
    onProgress(line);
  }
  throw new ApiError(502, "server_error", "error", "The connection was lost before everybody was counted.");
}

/** How far something is that takes long. */
export type Unfinished<T> = Extract<ProgressLine<T>, { done: false }>;

async function* linesOf({ body }: Response): AsyncGenerator<string> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) return;
    const lines = `${rest}${value}`.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
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
