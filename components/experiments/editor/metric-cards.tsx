"use client";

import { ArrowDown, ArrowUp, Bookmark, Pencil, Plus, Trash2, Unlink } from "lucide-react";
import type { ReactNode } from "react";
import type { ExperimentForm } from "#components/experiments/editor/form-values.ts";
import { SavedBadge } from "#components/experiments/metrics/saved-badge.tsx";
import { type List, moveUse, type SavedUse, usesIn } from "#components/experiments/saved-uses.ts";
import { kindWord, metricName, metricText } from "#components/metrics/metric-words.ts";
import { Button } from "#components/ui/button.tsx";
import { Badge } from "#components/ui/display/badge.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { FieldError } from "#components/ui/form/field.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { Json } from "#lib/engines/json.ts";
import type { StepProps } from "./steps.ts";

/** What a person wants to do with metrics. */
export type MetricRequest =
  | { action: "edit"; list: List; index: number | null }
  | { action: "save"; list: List; index: number }
  | { action: "choose"; list: List }
  | { action: "edit_saved"; use: SavedUse };

type Props = {
  list: List;
  title: string;
  description: string;
  problem: string | undefined;
  values: ExperimentForm;
  change: StepProps["change"];
  onRequest: (request: MetricRequest) => void;
};

const otherOf = (list: List): List => (list === "metrics" ? "metrics_secondary" : "metrics");

/** The metrics of one list: the experiment's own, then saved ones. */
export function MetricCards({ list, title, description, problem, ...props }: Props) {
  const { values, onRequest } = props;
  const own = values[list];
  const uses = usesIn(values, list);
  const to = <span className="sr-only"> to {title.toLowerCase()}</span>;
  return (
    <Card
      title={title}
      description={description}
      actions={
        <>
          <Button
            size="sm"
            variant="ghost"
            icon={Bookmark}
            onClick={() => onRequest({ action: "choose", list })}
          >
            Add saved{to}
          </Button>
          <Button size="sm" icon={Plus} onClick={() => onRequest({ action: "edit", list, index: null })}>
            Add{to}
          </Button>
        </>
      }
    >
      {own.length + uses.length === 0 ? (
        <p className="text-muted text-sm">
          {list === "metrics" ? "None yet. Add one to measure the outcome." : "None yet."}
        </p>
      ) : (
        <ul className="flex flex-col divide-y">
          {own.map((metric, index) => (
            <OwnMetric key={String(metric.uuid ?? index)} {...props} {...{ list, metric, index }} />
          ))}
          {uses.map((use) => (
            <SavedMetric key={`saved ${use.id}`} {...props} list={list} use={use} />
          ))}
        </ul>
      )}
      <FieldError>{problem}</FieldError>
    </Card>
  );
}

type RowProps = Pick<Props, "values" | "change" | "onRequest"> & { list: List };

function OwnMetric(props: RowProps & { metric: Json; index: number }) {
  const { list, metric, index, values, change, onRequest } = props;
  const name = metricName(metric);
  const metrics = values[list];
  const without = metrics.filter((each) => each !== metric);
  const readable = metric.kind === "ExperimentMetric";
  function remove() {
    change({ [list]: without });
    toast.withUndo(`${name} was removed`, async () => {
      change({ [list]: metrics });
      return undefined;
    });
  }
  const move = () => change({ [list]: without, [otherOf(list)]: [...values[otherOf(list)], metric] });
  return (
    <Row name={name} metric={metric}>
      {readable ? (
        <IconButton
          icon={Bookmark}
          size="sm"
          label={`Save ${name} for other experiments`}
          onClick={() => onRequest({ action: "save", list, index })}
        />
      ) : null}
      <MoveButton list={list} name={name} onClick={move} />
      {readable ? (
        <IconButton
          icon={Pencil}
          size="sm"
          label={`Edit ${name}`}
          onClick={() => onRequest({ action: "edit", list, index })}
        />
      ) : null}
      <IconButton icon={Trash2} size="sm" label={`Remove ${name}`} onClick={remove} />
    </Row>
  );
}

function SavedMetric({ list, use, values, change, onRequest }: RowProps & { use: SavedUse }) {
  const { name, query } = use;
  const before = { saved: values.saved, [list]: values[list] };
  const without = values.saved.filter(({ id }) => id !== use.id);
  const back = async () => {
    change(before);
    return undefined;
  };
  function remove() {
    change({ saved: without });
    toast.withUndo(`${name} was removed here; it stays saved`, back);
  }
  function part() {
    const { fingerprint: _, ...metric } = query;
    change({ saved: without, [list]: [...values[list], { ...metric, name }] });
    toast.withUndo(`${name} is now a separate copy for this experiment`, back);
  }
  const move = () => change({ saved: [...without, moveUse(use, otherOf(list))] });
  return (
    <Row name={name} metric={query} saved>
      <IconButton icon={Unlink} size="sm" label={`Copy ${name} for this experiment only`} onClick={part} />
      <MoveButton list={list} name={name} onClick={move} />
      <IconButton
        icon={Pencil}
        size="sm"
        label={`Edit ${name} everywhere`}
        onClick={() => onRequest({ action: "edit_saved", use })}
      />
      <IconButton icon={Trash2} size="sm" label={`Remove ${name}`} onClick={remove} />
    </Row>
  );
}

function MoveButton({ list, name, onClick }: { list: List; name: string; onClick: () => void }) {
  return (
    <IconButton
      icon={list === "metrics" ? ArrowDown : ArrowUp}
      size="sm"
      label={`Make ${name} a ${list === "metrics" ? "secondary" : "primary"} metric`}
      onClick={onClick}
    />
  );
}

function Row(props: { name: string; metric: Json; saved?: boolean; children: ReactNode }) {
  const { name, metric, saved } = props;
  return (
    <li className="flex flex-wrap items-start justify-end gap-x-1 gap-y-1 py-2.5 first:pt-0 last:pb-0">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-1.5 text-sm">
          <span className="break-words font-medium">{name}</span>
          <Badge>{kindWord(metric)}</Badge>
          {metric.goal === "decrease" ? <Badge tone="info">lower is better</Badge> : null}
          {saved ? <SavedBadge /> : null}
        </p>
        <p className="break-words text-muted text-xs">{metricText(metric)}</p>
      </div>
      <div className="flex items-center">{props.children}</div>
    </li>
  );
}
