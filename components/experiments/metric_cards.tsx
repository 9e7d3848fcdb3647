"use client";

import { ArrowDown, ArrowUp, Bookmark, Pencil, Plus, Trash2, Unlink } from "lucide-react";
import type { ReactNode } from "react";
import { Badge } from "#components/ui/badge.tsx";
import { Button } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { toast } from "#components/ui/toaster.tsx";
import type { Draft } from "./draft.ts";
import type { StepProps } from "./editor.tsx";
import { kindWord, metricName, metricText } from "./metric_words.ts";
import type { Asked } from "./metrics_step.tsx";
import { SavedBadge } from "./saved_badge.tsx";
import { type List, movedTo, type SavedUse, usesIn } from "./saved_uses.ts";

type Json = Record<string, unknown>;

type Props = {
  list: List;
  title: string;
  description: string;
  draft: Draft;
  change: StepProps["change"];
  ask: (asked: Asked) => void;
};

const otherOf = (list: List): List => (list === "metrics" ? "metrics_secondary" : "metrics");

/** The metrics of one list: the experiment's own, then saved ones. */
export function MetricCards({ list, title, description, ...props }: Props) {
  const { draft, ask } = props;
  const own = draft[list];
  const uses = usesIn(draft, list);
  const to = <span className="sr-only"> to {title.toLowerCase()}</span>;
  return (
    <Card
      title={title}
      description={description}
      actions={
        <>
          <Button size="sm" variant="ghost" icon={Bookmark} onClick={() => ask({ deed: "choose", list })}>
            Add saved{to}
          </Button>
          <Button size="sm" icon={Plus} onClick={() => ask({ deed: "edit", list, place: null })}>
            Add{to}
          </Button>
        </>
      }
    >
      {own.length + uses.length === 0 ? (
        <p className="text-muted text-sm">
          {list === "metrics" ? "None yet. Without one there is nothing to decide by." : "None yet."}
        </p>
      ) : (
        <ul className="flex flex-col divide-y">
          {own.map((metric, place) => (
            <OwnMetric key={String(metric.uuid ?? place)} {...props} {...{ list, metric, place }} />
          ))}
          {uses.map((use) => (
            <SavedMetric key={`saved ${use.id}`} {...props} list={list} use={use} />
          ))}
        </ul>
      )}
    </Card>
  );
}

type RowProps = Pick<Props, "draft" | "change" | "ask"> & { list: List };

function OwnMetric(props: RowProps & { metric: Json; place: number }) {
  const { list, metric, place, draft, change, ask } = props;
  const name = metricName(metric);
  const metrics = draft[list];
  const without = metrics.filter((each) => each !== metric);
  const readable = metric.kind === "ExperimentMetric";
  function remove() {
    change({ [list]: without });
    toast.withUndo(`${name} was removed`, async () => {
      change({ [list]: metrics });
      return undefined;
    });
  }
  const move = () => change({ [list]: without, [otherOf(list)]: [...draft[otherOf(list)], metric] });
  return (
    <Row name={name} metric={metric}>
      {readable ? (
        <IconButton
          icon={Bookmark}
          size="sm"
          label={`Save ${name} for other experiments`}
          onClick={() => ask({ deed: "keep", list, place })}
        />
      ) : null}
      <MoveButton list={list} name={name} onClick={move} />
      {readable ? (
        <IconButton
          icon={Pencil}
          size="sm"
          label={`Edit ${name}`}
          onClick={() => ask({ deed: "edit", list, place })}
        />
      ) : null}
      <IconButton icon={Trash2} size="sm" label={`Remove ${name}`} onClick={remove} />
    </Row>
  );
}

function SavedMetric({ list, use, draft, change, ask }: RowProps & { use: SavedUse }) {
  const { name, query } = use;
  const before = { saved: draft.saved, [list]: draft[list] };
  const without = draft.saved.filter(({ id }) => id !== use.id);
  const back = async () => {
    change(before);
    return undefined;
  };
  function remove() {
    change({ saved: without });
    toast.withUndo(`${name} is not used here any more; it stays saved`, back);
  }
  function part() {
    const { fingerprint: _, ...metric } = query;
    change({ saved: without, [list]: [...draft[list], { ...metric, name }] });
    toast.withUndo(`${name} is this experiment's own now: changes of the saved one pass it by`, back);
  }
  const move = () => change({ saved: [...without, movedTo(use, otherOf(list))] });
  return (
    <Row name={name} metric={query} saved>
      <IconButton icon={Unlink} size="sm" label={`Make a copy of ${name} for here only`} onClick={part} />
      <MoveButton list={list} name={name} onClick={move} />
      <IconButton
        icon={Pencil}
        size="sm"
        label={`Edit ${name} everywhere`}
        onClick={() => ask({ deed: "edit_saved", use })}
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
          <Badge>{kindWord(String(metric.metric_type ?? "older form"))}</Badge>
          {metric.goal === "decrease" ? <Badge tone="info">less is better</Badge> : null}
          {saved ? <SavedBadge /> : null}
        </p>
        <p className="break-words text-muted text-xs">{metricText(metric)}</p>
      </div>
      <div className="flex items-center">{props.children}</div>
    </li>
  );
}
