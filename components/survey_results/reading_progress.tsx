"use client";

import { useParams, useRouter } from "next/navigation";
import { useEffect, useRef } from "react";
import { Progress } from "#components/ui/progress.tsx";
import { useEndpoint } from "#components/use-endpoint.ts";
import { surveyResultsContract } from "#lib/survey_results/contract.ts";

const EVERY_MS = 600;

const WORDS = {
  reading: "Reading the responses for filters. The next filter will not have to wait.",
  recomputing: "The questions were changed: answers are being read by them. Figures come back when all are.",
};

/**
 * How far the reading is that the survey's figures wait for; nothing where they wait for none.
 *
 * @param comesBack whether the page is to be read again once the figures are there
 */
export function ReadingProgress({ comesBack = false }: { comesBack?: boolean }) {
  const router = useRouter();
  const params = useParams<{ project_id: string; id: string }>();
  const { data } = useEndpoint(
    surveyResultsContract.progress,
    { params: { project_id: params.project_id, id: params.id } },
    { refetchInterval: EVERY_MS, gcTime: 0, staleTime: 0 },
  );
  const isOver = comesBack && data?.state === "ready";
  const asked = useRef(false);
  useEffect(() => {
    if (!isOver || asked.current) return;
    asked.current = true;
    router.refresh();
  }, [isOver, router]);
  if (!data || data.state === "ready" || data.state === "failed") return null;
  const { done, total } = data;
  const rows = `${done.toLocaleString("en")} of ${total.toLocaleString("en")} rows`;
  return (
    <div className="flex flex-col gap-2 rounded-lg border bg-surface px-4 py-3 shadow-card">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 text-sm">
        <span>{WORDS[data.state]}</span>
        <span className="text-muted tabular-nums">{rows}</span>
      </div>
      <Progress value={total > 0 ? done / total : null} label="Reading the responses" text={rows} />
    </div>
  );
}
