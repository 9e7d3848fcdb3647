"use client";

import { useState } from "react";
import type { SavedMetricActions } from "#app/project/[project_id]/experiments/experiment-actions.ts";
import { attempt, problemOf } from "#components/kit/action.ts";
import { metricName, metricText } from "#components/metrics/metric-words.ts";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { SavedMetricRecord } from "#lib/experiments/experiments/schema.ts";
import { MetricDescription } from "./metric-description.tsx";

type Props = {
  projectId: string;
  metric: Record<string, unknown>;
  actions: SavedMetricActions;
  onClose: () => void;
  onSaved: (saved: SavedMetricRecord) => void;
  onUndone: () => void;
};

/** Saves an experiment's metric for all experiments; its figures here do not change. */
export function SaveMetricDialog({ projectId, metric, actions, onClose, onSaved, onUndone }: Props) {
  const [name, setName] = useState(metricName(metric));
  const [description, setDescription] = useState("");
  async function keep(): Promise<string | undefined> {
    const { fingerprint: _, ...query } = metric;
    const input = {
      name: name.trim(),
      description: description.trim() || null,
      query: { ...query, name: name.trim() },
    };
    const result = await attempt(() => actions.save(projectId, null, input));
    if (!result.ok) return problemOf(result);
    onSaved(result.data);
    toast.withUndo(`${result.data.name} is saved for other experiments`, async () => {
      const gone = await attempt(() => actions.setDeleted(projectId, result.data.id, true));
      if (!gone.ok) return problemOf(gone);
      onUndone();
      return undefined;
    });
    return undefined;
  }
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Save this metric for other experiments"
      description="Every experiment that uses it counts the same way, and a change applies to all of them. Results here do not change."
      confirmLabel="Save metric"
      onConfirm={keep}
    >
      <div className="flex flex-col gap-4">
        <p className="rounded-md border bg-sunken px-3 py-2 text-muted text-xs">{metricText(metric)}</p>
        <Field label="Name">
          <Input value={name} onChange={(event) => setName(event.target.value)} />
        </Field>
        <MetricDescription value={description} onValueChange={setDescription} />
      </div>
    </ConfirmDialog>
  );
}
