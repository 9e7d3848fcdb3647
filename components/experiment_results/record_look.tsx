"use client";

import { useEffect, useRef } from "react";
import type { ResultActions } from "./result_actions.ts";

/** Notes in the ledger that somebody is looking at the results, once per visit. */
export function RecordLook({
  projectId,
  experimentId,
  look,
}: {
  projectId: string;
  experimentId: number;
  look: ResultActions["look"];
}) {
  const isNoted = useRef(false);
  useEffect(() => {
    if (isNoted.current) return;
    isNoted.current = true;
    // A look that cannot be noted must not keep anybody from the results.
    void look(projectId, experimentId).catch(() => undefined);
  }, [projectId, experimentId, look]);
  return null;
}
