"use client";

import { useState } from "react";
import type { SavedMetricActions } from "#app/project/[project_id]/experiments/experiment-actions.ts";
import { attempt, problemOf } from "#components/kit/action.ts";
import { MetricEditor } from "#components/metrics/metric-editor.tsx";
import { metricName } from "#components/metrics/metric-words.ts";
import type { PreviewFrom } from "#components/metrics/use-preview.ts";
import { Callout } from "#components/ui/display/callout.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { SavedMetricInput, SavedMetricRecord } from "#lib/experiments/experiments/schema.ts";
import { plural } from "#lib/platform/format.ts";
import { MetricDescription } from "./metric-description.tsx";
import { UsedBy } from "./used-by.tsx";

type Props = {
  projectId: string;
  /** null: a new one. */
  saved: SavedMetricRecord | null;
  from: PreviewFrom;
  actions: SavedMetricActions;
  onClose: () => void;
  /** Called with what is stored, also after an undo. */
  onSaved: (saved: SavedMetricRecord) => void;
};

const inputOf = ({ name, description, query }: SavedMetricRecord): SavedMetricInput => ({
  name,
  description,
  query,
});

/** Creates or changes a saved metric; it is stored at once and can be undone. */
export function SavedMetricDialog({ projectId, saved, from, actions, onClose, onSaved }: Props) {
  const [description, setDescription] = useState(saved?.description ?? "");
  async function put(id: number | null, input: SavedMetricInput) {
    const result = await attempt(() => actions.save(projectId, id, input));
    if (result.ok) onSaved(result.data);
    return result;
  }
  async function save(metric: Record<string, unknown>): Promise<string | undefined> {
    const { fingerprint: _, ...query } = metric;
    const name = metricName(query);
    const input = { name, description: description.trim() || null, query: { ...query, name } };
    const result = await put(saved?.id ?? null, input);
    if (!result.ok) return problemOf(result);
    if (saved)
      toast.withUndo(`${name} was changed`, async () => {
        const back = await put(saved.id, inputOf(saved));
        return problemOf(back);
      });
    else toast.success(`${name} was saved`);
    onClose();
    return undefined;
  }
  return (
    <MetricEditor
      projectId={projectId}
      metric={saved ? { ...saved.query, name: saved.name } : null}
      from={from}
      title={saved ? `Edit ${saved.name}` : "New saved metric"}
      saveLabel={saved ? "Save metric" : "Create metric"}
      notice={saved && saved.experiment_count > 0 ? <Reach saved={saved} projectId={projectId} /> : null}
      onClose={onClose}
      onSave={save}
    >
      <MetricDescription value={description} onValueChange={setDescription} />
    </MetricEditor>
  );
}

/** Which experiments a change affects, before it is made. */
function Reach({ saved, projectId }: { saved: SavedMetricRecord; projectId: string }) {
  const counting = saved.experiments.some(({ status }) => status !== "draft");
  return (
    <Callout
      tone={counting ? "warning" : "info"}
      title={`Changes ${plural(saved.experiment_count, "experiment")}`}
    >
      <UsedBy projectId={projectId} saved={saved} />
      {counting ? (
        <p className="mt-1">
          Changing the definition recomputes the results of launched experiments from the first day. Renaming
          changes no figures.
        </p>
      ) : null}
    </Callout>
  );
}
