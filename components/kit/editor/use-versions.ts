"use client";

import { useState } from "react";
import { callFromBrowser, useEndpoint } from "#components/kit/use-endpoint.ts";
import type { Answer, Call, Endpoint } from "#lib/platform/http/contract.ts";

const POLL_MS = 15_000;

type Stored = { id: number | string; version?: number };

/** What is stored now; null where it cannot be read. */
export const readCurrent = <E extends Endpoint>(path: E["path"], call: Call<E>): Promise<Answer<E> | null> =>
  callFromBrowser<E>(path, call).catch(() => null);

/**
 * A newer version than the edited one, as soon as somebody else has saved one that differs; otherwise null. Of records
 * without versions, one is newer that was read later.
 *
 * @param base the version that is edited; null for something new, which nobody else can change
 */
export function useNewerVersion<E extends Endpoint, Base extends Stored = Answer<E> & Stored>(
  path: E["path"],
  call: Call<E>,
  base: Base | null,
  differs: (base: Base, current: Answer<E>) => boolean,
): Answer<E> | null {
  const { data, dataUpdatedAt } = useEndpoint<E>(path, call, {
    enabled: base !== null,
    staleTime: 0,
    refetchInterval: POLL_MS,
    refetchOnWindowFocus: "always",
    retry: false,
  });
  const [began, setBegan] = useState({ base, at: Date.now() });
  if (began.base !== base) setBegan({ base, at: Date.now() });
  const { id, version } = (data ?? {}) as Partial<Stored>;
  if (!base || data === undefined || id !== base.id) return null;
  const isNewer =
    version === undefined || base.version === undefined ? dataUpdatedAt > began.at : version > base.version;
  return isNewer && differs(base, data) ? data : null;
}
