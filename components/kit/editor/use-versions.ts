"use client";

import { callFromBrowser, useEndpoint } from "#components/kit/use-endpoint.ts";
import type { Answer, Call, Endpoint } from "#lib/platform/http/contract.ts";

const POLL_MS = 15_000;

type Stored = { id: number | string; version: number };

/** What is stored now; null where it cannot be read. */
export const readCurrent = <E extends Endpoint>(path: E["path"], call: Call<E>): Promise<Answer<E> | null> =>
  callFromBrowser<E>(path, call).catch(() => null);

/**
 * A newer version than the edited one, as soon as somebody else has saved one that differs; otherwise null.
 *
 * @param base the version that is edited; null for something new, which nobody else can change
 */
export function useNewerVersion<E extends Endpoint, Base extends Stored = Answer<E> & Stored>(
  path: E["path"],
  call: Call<E>,
  base: Base | null,
  differs: (base: Base, current: Answer<E>) => boolean,
): Answer<E> | null {
  const { data } = useEndpoint<E>(path, call, {
    enabled: base !== null,
    staleTime: 0,
    refetchInterval: POLL_MS,
    refetchOnWindowFocus: "always",
    retry: false,
  });
  const { id, version } = (data ?? {}) as Partial<Stored>;
  if (!base || data === undefined || id !== base.id || version === undefined) return null;
  return version > base.version && differs(base, data) ? data : null;
}
