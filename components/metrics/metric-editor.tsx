"use client";

import { type ReactNode, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { Field, FieldError } from "#components/ui/form/field.tsx";
import { RadioCards } from "#components/ui/form/radio-cards.tsx";
import { Dialog } from "#components/ui/overlay/dialog.tsx";
import type { Json } from "#lib/engines/json.ts";
import { readMetricType, UNKNOWN } from "#lib/experiments/metric_kinds/metric-kinds.ts";
import { CommonFields } from "./common-fields.tsx";
import { createMetric, findMetricProblem, finishMetric } from "./metric-draft.ts";
import { KindFields } from "./metric-fields.tsx";
import { MetricPreviewBox } from "./metric-preview.tsx";
import { METRIC_OPTIONS } from "./metric-words.ts";
import type { PreviewFrom } from "./use-preview.ts";

type Props = {
  projectId: string;
  /** null: a new one. */
  metric: Json | null;
  from: PreviewFrom;
  title?: string;
  saveLabel?: string;
  /** A notice shown before anything is changed. */
  notice?: ReactNode;
  /** Further fields, below those of the metric. */
  children?: ReactNode;
  onClose: () => void;
  /** Saves the metric; returns the problem, if any. */
  onSave: (metric: Json) => Promise<string | undefined> | undefined;
};

/** Builds a metric from received events, with a preview. */
export function MetricEditor({ projectId, metric, from, onClose, onSave, children, ...words }: Props) {
  const [edited, setEdited] = useState<Json>(() => metric ?? createMetric("funnel"));
  const [problem, setProblem] = useState<string>();
  const [saving, setSaving] = useState(false);
  const change = (part: Json) => setEdited((before) => ({ ...before, ...part }));
  async function save() {
    const missing = findMetricProblem(edited);
    setProblem(missing ?? undefined);
    if (missing || saving) return;
    setSaving(true);
    setProblem(await onSave(finishMetric(edited)));
    setSaving(false);
  }
  return (
    <Dialog
      open
      size="xl"
      onOpenChange={(open) => !open && onClose()}
      title={words.title ?? (metric ? "Edit metric" : "Add a metric")}
      footer={
        <>
          <FieldError>{problem}</FieldError>
          <span className="flex-1" />
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" onClick={save} loading={saving}>
            {words.saveLabel ?? (metric ? "Save changes" : "Add metric")}
          </Button>
        </>
      }
    >
      <div className="grid items-start gap-x-6 gap-y-5 lg:grid-cols-[minmax(0,1fr)_15rem]">
        <div className="flex min-w-0 flex-col gap-5">
          {words.notice}
          <Field label="Kind" as="group">
            <RadioCards
              columns={2}
              value={readMetricType(edited)}
              onValueChange={(type) => type !== UNKNOWN && setEdited(createMetric(type, edited))}
              options={METRIC_OPTIONS}
            />
          </Field>
          <KindFields projectId={projectId} metric={edited} change={change} />
          <CommonFields metric={edited} change={change} />
          {children}
        </div>
        <div className="lg:sticky lg:top-0">
          <MetricPreviewBox projectId={projectId} metric={finishMetric(edited)} from={from} />
        </div>
      </div>
    </Dialog>
  );
}
