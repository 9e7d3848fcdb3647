"use client";

import { useState } from "react";
import { attempt } from "#components/feature_flags/flag_actions.ts";
import { Callout } from "#components/ui/callout.tsx";
import { toast } from "#components/ui/toaster.tsx";
import type { SavedMetricRecord } from "#lib/experiments/schema.ts";
import type { SavedMetricActions, SavedMetricWish } from "./experiment_actions.ts";
import { MetricDescription } from "./metric_description.tsx";
import { MetricEditor } from "./metric_editor.tsx";
import { metricName } from "./metric_words.ts";
import type { PreviewFrom } from "./use_preview.ts";
import { UsedBy } from "./used_by.tsx";

type Props = {
  projectId: string;
  /** null: a new one. */
  saved: SavedMetricRecord | null;
  from: PreviewFrom;
  actions: SavedMetricActions;
  onClose: () => void;
  /** Told what is stored, after an undo too. */
  onSaved: (saved: SavedMetricRecord) => void;
};

const wishOf = ({ name, description, query }: SavedMetricRecord): SavedMetricWish => ({
  name,
  description,
  query,
});

/** Makes or changes a metric that experiments share; it is stored at once, and can be taken back. */
export function SavedMetricDialog({ projectId, saved, from, actions, onClose, onSaved }: Props) {
  const [description, setDescription] = useState(saved?.description ?? "");
  async function put(id: number | null, wish: SavedMetricWish) {
    const result = await attempt(() => actions.save(projectId, id, wish));
    if (result.ok) onSaved(result.data);
    return result;
  }
  async function save(metric: Record<string, unknown>): Promise<string | undefined> {
    const { fingerprint: _, ...query } = metric;
    const name = metricName(query);
    const wish = { name, description: description.trim() || null, query: { ...query, name } };
    const result = await put(saved?.id ?? null, wish);
    if (!result.ok) return result.error.detail;
    if (saved)
      toast.withUndo(`${name} was changed`, async () => {
        const back = await put(saved.id, wishOf(saved));
        return back.ok ? undefined : back.error.detail;
      });
    else toast.success(`${name} is saved for experiments`);
    onClose();
    return undefined;
  }
  return (
    <MetricEditor
      projectId={projectId}
      metric={saved ? { ...saved.query, name: saved.name } : null}
      from={from}
      title={saved ? `Edit ${saved.name}` : "New saved metric"}
      saveLabel={saved ? "Save the metric" : "Make the metric"}
      notice={saved && saved.experiment_count > 0 ? <Reach saved={saved} projectId={projectId} /> : null}
      onClose={onClose}
      onSave={save}
    >
      <MetricDescription value={description} onValueChange={setDescription} />
    </MetricEditor>
  );
}

/** Whom a change reaches, before it is made. */
function Reach({ saved, projectId }: { saved: SavedMetricRecord; projectId: string }) {
  const counting = saved.experiments.some(({ status }) => status !== "draft");
  return (
    <Callout
      tone={counting ? "warning" : "info"}
      title={`Changes it in ${saved.experiment_count} experiment${saved.experiment_count === 1 ? "" : "s"}`}
    >
      <UsedBy projectId={projectId} saved={saved} />
      {counting ? (
        <p className="mt-1">
          Where results are read already, another definition computes them anew from the first day. A new name
          changes no figure.
        </p>
      ) : null}
    </Callout>
  );
}
