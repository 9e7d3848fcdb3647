"use client";

import { useEffect, useState } from "react";

const SETTLE_MS = 350;

/**
 * A value once it has not changed for a moment; `settled` says whether it is current.
 *
 * @param identity what tells one value from another: its JSON, or the value itself where it keeps its identity
 */
export function useSettled<T>(value: T, identity: unknown): { value: T; settled: boolean } {
  const [last, setLast] = useState({ value, identity });
  useEffect(() => {
    if (last.identity === identity) return;
    const timer = setTimeout(() => setLast({ value, identity }), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [value, identity, last.identity]);
  return { value: last.value, settled: last.identity === identity };
}
