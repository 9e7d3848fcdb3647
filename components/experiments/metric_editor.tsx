"use client";

import { type ReactNode, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { Field, FieldError } from "#components/ui/field.tsx";
import { RadioCards } from "#components/ui/radio-cards.tsx";
import { finished, metricOfKind, metricProblem } from "./metric_draft.ts";
import { CommonFields, KindFields } from "./metric_fields.tsx";
import { MetricPreviewBox } from "./metric_preview.tsx";
import { METRIC_KINDS, type MetricKind } from "./metric_words.ts";
import type { PreviewFrom } from "./use_preview.ts";

type Json = Record<string, unknown>;

type Props = {
  projectId: string;
  /** null: a new one. */
  metric: Json | null;
  from: PreviewFrom;
  title?: string;
  saveLabel?: string;
  /** What there is to know before anything is changed. */
  notice?: ReactNode;
  /** Further fields, below those of the metric. */
  children?: ReactNode;
  onClose: () => void;
  /** Keeps the metric; a text is the problem that stands in the way. */
  onSave: (metric: Json) => Promise<string | undefined> | undefined;
};

/** Builds one metric from events that were really seen, with what it would have been. */
export function MetricEditor({ projectId, metric, from, onClose, onSave, children, ...words }: Props) {
  const [edited, setEdited] = useState<Json>(() => metric ?? metricOfKind("funnel"));
  const [problem, setProblem] = useState<string>();
  const [saving, setSaving] = useState(false);
  const change = (part: Json) => setEdited((before) => ({ ...before, ...part }));
  async function save() {
    const missing = metricProblem(edited);
    setProblem(missing ?? undefined);
    if (missing || saving) return;
    setSaving(true);
    setProblem(await onSave(finished(edited)));
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
            {words.saveLabel ?? (metric ? "Keep the changes" : "Add the metric")}
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
              value={edited.metric_type as MetricKind}
              onValueChange={(kind) => setEdited(metricOfKind(kind, edited))}
              options={METRIC_KINDS}
            />
          </Field>
          <KindFields projectId={projectId} metric={edited} change={change} />
          <CommonFields metric={edited} change={change} />
          {children}
        </div>
        <div className="lg:sticky lg:top-0">
          <MetricPreviewBox projectId={projectId} metric={finished(edited)} from={from} />
        </div>
      </div>
    </Dialog>
  );
}
