"use client";

import { useEffect, useState } from "react";

const SETTLE_MS = 350;

/** A value once it has not changed for a moment; `settled` says whether it is current. */
export function useSettled<T>(value: T, identity: string): { value: T; settled: boolean } {
  const [last, setLast] = useState({ value, identity });
  useEffect(() => {
    if (last.identity === identity) return;
    const timer = setTimeout(() => setLast({ value, identity }), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [value, identity, last.identity]);
  return { value: last.value, settled: last.identity === identity };
}
