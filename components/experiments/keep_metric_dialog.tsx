"use client";

import { useState } from "react";
import { attempt } from "#components/feature_flags/flag_actions.ts";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { Field } from "#components/ui/field.tsx";
import { Input } from "#components/ui/input.tsx";
import { toast } from "#components/ui/toaster.tsx";
import type { SavedMetricRecord } from "#lib/experiments/schema.ts";
import type { SavedMetricActions } from "./experiment_actions.ts";
import { MetricDescription } from "./metric_description.tsx";
import { metricName, metricText } from "./metric_words.ts";

type Props = {
  projectId: string;
  metric: Record<string, unknown>;
  actions: SavedMetricActions;
  onClose: () => void;
  onKept: (saved: SavedMetricRecord) => void;
  onUndone: () => void;
};

/** Saves a metric of one experiment for all; its figures here go on as they are. */
export function KeepMetricDialog({ projectId, metric, actions, onClose, onKept, onUndone }: Props) {
  const [name, setName] = useState(metricName(metric));
  const [description, setDescription] = useState("");
  async function keep(): Promise<string | undefined> {
    const { fingerprint: _, ...query } = metric;
    const wish = {
      name: name.trim(),
      description: description.trim() || null,
      query: { ...query, name: name.trim() },
    };
    const result = await attempt(() => actions.save(projectId, null, wish));
    if (!result.ok) return result.error.detail;
    onKept(result.data);
    toast.withUndo(`${result.data.name} is saved for other experiments`, async () => {
      const gone = await attempt(() => actions.setDeleted(projectId, result.data.id, true));
      if (!gone.ok) return gone.error.detail;
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
      description="Whoever uses it counts the same. Changed once, it changes everywhere. Its figures here stay as they are."
      confirmLabel="Save the metric"
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
