"use client";

import { useParams, useRouter } from "next/navigation";
import { useEffect, useRef } from "react";
import { useEndpoint } from "#components/kit/use-endpoint.ts";
import { Progress } from "#components/ui/display/progress.tsx";
import { formatCount } from "#lib/platform/format.ts";
import { surveyResultsContract } from "#lib/surveys/results/contract.ts";

const EVERY_MS = 600;

const WORDS = {
  reading: "Loading the responses for filtering. Later filters will not have to wait.",
  recomputing:
    "The questions changed, so all answers are being recounted. The figures return when that is done.",
};

type Props = {
  /** Shown until figures can be loaded, then reloads them. */
  instead?: string;
};

/** Progress of what the survey's figures wait for; nothing if they do not wait. */
export function ReadingProgress({ instead }: Props) {
  const router = useRouter();
  const params = useParams<{ project_id: string; id: string }>();
  const { data } = useEndpoint(
    surveyResultsContract.progress,
    { params: { project_id: params.project_id, id: params.id } },
    { refetchInterval: EVERY_MS, gcTime: 0, staleTime: 0 },
  );
  const isOver = instead !== undefined && data?.state === "ready";
  const asked = useRef(false);
  useEffect(() => {
    if (!isOver || asked.current) return;
    asked.current = true;
    router.refresh();
  }, [isOver, router]);
  const known = data?.state === "reading" || data?.state === "recomputing" ? data.state : null;
  const words = known ? WORDS[known] : instead;
  if (words === undefined) return null;
  const { done, total } = data ?? { done: 0, total: 0 };
  const rows = total > 0 ? `${formatCount(done)} of ${formatCount(total)} rows` : "";
  return (
    <div role="status" className="flex flex-col gap-2.5 rounded-lg border bg-surface px-4 py-3.5 shadow-card">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 text-sm">
        <span>{words}</span>
        <span className="text-muted tabular-nums" aria-hidden>
          {rows}
        </span>
      </div>
      <Progress value={total > 0 ? done / total : null} label="Loading the responses" text={rows} />
    </div>
  );
}
