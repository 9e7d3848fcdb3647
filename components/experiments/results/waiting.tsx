"use client";

import { Card } from "#components/ui/display/card.tsx";
import { Progress } from "#components/ui/display/progress.tsx";
import { useRefresh } from "./use-refresh.ts";

const EVERY_MS = 2000;

/** Results are being computed for the first time: shows progress and refreshes by itself. */
export function Waiting({ progress }: { progress: number | null }) {
  useRefresh(EVERY_MS);
  return (
    <Card title="Counting">
      <div className="flex max-w-lg flex-col gap-2" aria-live="polite">
        <p className="text-muted text-sm">
          The experiment's events are being counted for the first time. After that, only new events are
          counted.
        </p>
        <Progress value={progress} label="Counting the experiment's events" />
      </div>
    </Card>
  );
}
