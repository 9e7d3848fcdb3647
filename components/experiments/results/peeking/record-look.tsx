"use client";

import { useEffect, useRef } from "react";
import type { ResultActions } from "#app/project/[project_id]/experiments/[id]/result-actions.ts";

/** Records a look at the results, once per visit. */
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
    // A look that cannot be recorded must not hide the results.
    void look(projectId, experimentId).catch(() => undefined);
  }, [projectId, experimentId, look]);
  return null;
}
