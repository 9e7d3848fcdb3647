"use client";

import { RefreshCw } from "lucide-react";
import { attempt } from "#components/feature_flags/flag_actions.ts";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import type { MetricResult } from "./model.ts";
import type { ResultActions } from "./result_actions.ts";

type Props = {
  projectId: string;
  experimentId: number;
  metric: MetricResult;
  recompute: ResultActions["recompute"];
  /** Told when it is under way. */
  onAsked: () => void;
};

/** Has a metric's recorded days computed anew from the events as they are now. */
export function RecomputeDays({ projectId, experimentId, metric, recompute, onAsked }: Props) {
  async function ask(): Promise<string | undefined> {
    const { metric: raw, fingerprint } = metric;
    const asked = await attempt(() => recompute(projectId, experimentId, { metric: raw, fingerprint }));
    if (!asked.ok) return asked.error.detail;
    onAsked();
    return undefined;
  }
  return (
    <ConfirmDialog
      trigger={
        <Button size="sm" variant="ghost" icon={RefreshCw} className="print:hidden">
          Compute the days again…
        </Button>
      }
      title={`Compute the days of ${metric.name} again?`}
      description="A day is recorded when it ends and stays as it was. Events that came late and people who became one are in it only once it is computed again, from the first day on. The figures of now are not touched."
      confirmLabel="Compute them again"
      onConfirm={ask}
    />
  );
}
