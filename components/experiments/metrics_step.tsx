"use client";

import { ArrowDown, ArrowUp, Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { Badge } from "#components/ui/badge.tsx";
import { Button } from "#components/ui/button.tsx";
import { Callout } from "#components/ui/callout.tsx";
import { Card } from "#components/ui/card.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { toast } from "#components/ui/toaster.tsx";
import type { Draft } from "./draft.ts";
import type { StepProps } from "./editor.tsx";
import { MetricEditor } from "./metric_editor.tsx";
import { kindWord, metricName, metricText } from "./metric_words.ts";
import type { PreviewFrom } from "./use_preview.ts";

type Json = Record<string, unknown>;
type List = "metrics" | "metrics_secondary";

/** From where on previews count somebody: the experiment's own exposure, as far as it can be asked about. */
export function previewFrom(draft: Draft, experiment: StepProps["experiment"]): PreviewFrom {
  if (draft.exposure.kind === "event" && draft.exposure.event)
    return { exposure_event: draft.exposure.event };
  // A flag that nobody was asked for yet has no past to look at.
  const asked = experiment !== null && (experiment.start_date !== null || experiment.feature_flag.active);
  return asked ? { feature_flag_key: experiment.feature_flag_key } : {};
}

/** Primary and secondary metrics, built from events that were really seen. */
export function MetricsStep({ projectId, experiment, draft, change }: StepProps) {
  const [editing, setEditing] = useState<{ list: List; place: number | null }>();
  const launched = experiment !== null && experiment.status !== "draft";
  function keep(metric: Json) {
    if (!editing) return;
    const list = draft[editing.list];
    const next =
      editing.place === null
        ? [...list, metric]
        : list.map((each, i) => (i === editing.place ? metric : each));
    change({ [editing.list]: next });
    setEditing(undefined);
  }
  const shared = { draft, change, edit: (list: List, place: number | null) => setEditing({ list, place }) };
  return (
    <>
      {launched ? (
        <Callout tone="warning">
          The experiment is launched. A metric that is changed now is computed anew from the first day, and
          choosing one after looking at results proves nothing.
        </Callout>
      ) : null}
      <MetricCards
        list="metrics"
        title="Primary metrics"
        description="What decides. One or two: with every further one, chance has another try."
        {...shared}
      />
      <MetricCards
        list="metrics_secondary"
        title="Secondary metrics"
        description="What must not get worse, and what helps to understand."
        {...shared}
      />
      {experiment && experiment.saved_metrics.length > 0 ? (
        <p className="text-muted text-xs">
          Shared with other experiments: {experiment.saved_metrics.map(({ name }) => name).join(", ")}.
        </p>
      ) : null}
      {editing ? (
        <MetricEditor
          projectId={projectId}
          metric={editing.place === null ? null : (draft[editing.list][editing.place] ?? null)}
          from={previewFrom(draft, experiment)}
          onClose={() => setEditing(undefined)}
          onSave={keep}
        />
      ) : null}
    </>
  );
}

type CardsProps = {
  list: List;
  title: string;
  description: string;
  draft: Draft;
  change: StepProps["change"];
  edit: (list: List, place: number | null) => void;
};

function MetricCards({ list, title, description, draft, change, edit }: CardsProps) {
  const metrics = draft[list];
  const other: List = list === "metrics" ? "metrics_secondary" : "metrics";
  function remove(place: number) {
    const gone = metrics[place];
    change({ [list]: metrics.filter((_, i) => i !== place) });
    if (gone)
      toast.withUndo(`${metricName(gone)} was removed`, async () => {
        change({ [list]: metrics });
        return undefined;
      });
  }
  const move = (place: number) => {
    const moved = metrics[place];
    if (moved) change({ [list]: metrics.filter((_, i) => i !== place), [other]: [...draft[other], moved] });
  };
  return (
    <Card
      title={title}
      description={description}
      actions={
        <Button size="sm" icon={Plus} onClick={() => edit(list, null)}>
          Add<span className="sr-only"> to {title.toLowerCase()}</span>
        </Button>
      }
    >
      {metrics.length === 0 ? (
        <p className="text-muted text-sm">
          {list === "metrics" ? "None yet. Without one there is nothing to decide by." : "None yet."}
        </p>
      ) : (
        <ul className="flex flex-col divide-y">
          {metrics.map((metric, place) => {
            const name = metricName(metric);
            return (
              <li
                key={String(metric.uuid ?? place)}
                className="flex items-start gap-2 py-2.5 first:pt-0 last:pb-0"
              >
                <div className="min-w-0 flex-1">
                  <p className="flex flex-wrap items-center gap-1.5 text-sm">
                    <span className="break-words font-medium">{name}</span>
                    <Badge>{kindWord(String(metric.metric_type ?? "older form"))}</Badge>
                    {metric.goal === "decrease" ? <Badge tone="info">less is better</Badge> : null}
                  </p>
                  <p className="break-words text-muted text-xs">{metricText(metric)}</p>
                </div>
                <IconButton
                  icon={list === "metrics" ? ArrowDown : ArrowUp}
                  size="sm"
                  label={`Make ${name} a ${list === "metrics" ? "secondary" : "primary"} metric`}
                  onClick={() => move(place)}
                />
                {metric.kind === "ExperimentMetric" ? (
                  <IconButton
                    icon={Pencil}
                    size="sm"
                    label={`Edit ${name}`}
                    onClick={() => edit(list, place)}
                  />
                ) : null}
                <IconButton icon={Trash2} size="sm" label={`Remove ${name}`} onClick={() => remove(place)} />
              </li>
            );
          })}
        </ul>
      )}
    </Card>
  );
}
