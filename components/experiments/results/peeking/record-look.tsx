"use client";

import { useEffect, useRef } from "react";

/** Records a look at results that are shown, once per visit. */
export function RecordLook({ look }: { look: () => Promise<unknown> }) {
  const isNoted = useRef(false);
  useEffect(() => {
    if (isNoted.current) return;
    isNoted.current = true;
    // A look that cannot be recorded must not hide the results.
    void look().catch(() => undefined);
  }, [look]);
  return null;
}
