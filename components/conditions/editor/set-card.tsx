"use client";

import { ArrowDown, ArrowUp, Copy, GripVertical, Trash2, UserRound } from "lucide-react";
import { type DragEvent, memo, useMemo, useRef } from "react";
import { Sentence } from "#components/conditions/sentence.tsx";
import type { PlacedProblem } from "#components/kit/editor/json.ts";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { FieldError } from "#components/ui/form/field.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { serveTokens } from "#lib/people/conditions/words.ts";
import { canonical } from "#lib/platform/canonical.ts";
import { filtersOf, groupOf, type SetDraft } from "./draft.ts";
import {
  type Example,
  type FiltersEditing,
  SetProvider,
  useFilters,
  useProblemAt,
  type Warning,
} from "./filters-context.tsx";
import { isComplete } from "./property-kinds.ts";
import { ReachText } from "./reach-text.tsx";
import { ServeLine, SetRows } from "./set-fields.tsx";
import { useNear } from "./use-near.ts";
import { Warnings } from "./warning-text.tsx";

/** What can be done with a whole set; the same object for as long as the list is shown. */
export type SetActions = {
  move: (uid: string, by: 1 | -1) => void;
  duplicate: (uid: string) => void;
  remove: (uid: string) => void;
  drag: (uid: string, event: DragEvent, phase: "start" | "over" | "end") => void;
};

type Props = {
  set: SetDraft;
  place: number;
  /** Number of sets. */
  count: number;
  /** The editor around it, with the draft's other parts but without its sets, and with what concerns this set. */
  editing: FiltersEditing;
  problem: PlacedProblem | null;
  warnings: readonly Warning[];
  /** Somebody who gets in through it, if known. */
  example: Example | null;
  actions: SetActions;
  dragged: boolean;
};

/** Sets further down get their controls when they come near the screen: hundreds of them would take seconds. */
const RENDERED_AT_ONCE = 12;

/** Warnings and examples are found again after every change, mostly the same ones. */
const isSame = (before: Props, after: Props) =>
  (Object.keys(after) as (keyof Props)[]).every((name) =>
    name === "warnings" || name === "example"
      ? canonical(before[name]) === canonical(after[name])
      : Object.is(before[name], after[name]),
  );

/**
 * One condition set: its sentence, who it matches and how many, what they get. Rendered only when something of its own
 * has changed, so that a flag with hundreds of sets can be typed into.
 */
export const SetCard = memo(function SetCard(props: Props) {
  const { set, place, editing, problem, warnings, actions, dragged } = props;
  const own = useMemo(() => ({ ...editing, problem, warnings }), [editing, problem, warnings]);
  const card = useRef<HTMLLIElement>(null);
  const near = useNear(card, "1200px", place < RENDERED_AT_ONCE);
  return (
    <li
      ref={card}
      id={`set-${place + 1}`}
      tabIndex={-1}
      data-path={`groups/${place}`}
      data-set={set.uid}
      onDragOver={(event) => actions.drag(set.uid, event, "over")}
      className={cn(
        "scroll-mt-4 rounded-lg border bg-surface shadow-card",
        !near && "h-44",
        dragged && "opacity-50",
      )}
    >
      <SetProvider value={own}>
        {near ? (
          <Contents {...props} />
        ) : (
          <div className="px-3 py-2">
            <Heading set={set} place={place} />
          </div>
        )}
      </SetProvider>
    </li>
  );
}, isSame);

function Heading({ set, place }: Pick<Props, "set" | "place">) {
  const { draft, names } = useFilters();
  const filters = useMemo(() => filtersOf(draft), [draft]);
  return (
    <h3 className="text-sm">
      <span className="font-semibold">Set {place + 1}</span>
      <span className="text-faint"> · </span>
      <Sentence
        tokens={serveTokens(groupOf(set, draft.multivariate), filters, names)}
        className="text-muted"
      />
    </h3>
  );
}

function Contents({ set, place, count, example, actions }: Props) {
  const { projectId, draft, warnings, showExample } = useFilters();
  const problem = useProblemAt(["groups", place]);
  const group = groupOf(set, draft.multivariate);
  const index = draft.rest.aggregation_group_type_index ?? null;
  const shown = warnings.filter((warning) => warning.row === null);
  return (
    <>
      <div className="flex flex-wrap items-start gap-1 border-b px-3 py-2 sm:flex-nowrap">
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the pointer's way; the arrow buttons are the keyboard's */}
        <span
          draggable
          onDragStart={(event) => actions.drag(set.uid, event, "start")}
          onDragEnd={(event) => actions.drag(set.uid, event, "end")}
          title="Drag to reorder"
          className="-ml-1.5 grid h-7 w-5 shrink-0 cursor-grab place-items-center text-faint hover:text-ink max-sm:hidden"
        >
          <GripVertical aria-hidden="true" className="size-3.5" />
        </span>
        <div className="min-w-0 flex-1 pt-1 max-sm:order-last max-sm:basis-full max-sm:pt-0">
          <Heading set={set} place={place} />
          <p aria-live="polite" className="text-muted text-xs">
            <ReachText
              projectId={projectId}
              group={group}
              groupTypeIndex={index}
              complete={(group.properties ?? []).every(isComplete)}
            />
          </p>
        </div>
        {showExample ? (
          <Button
            size="sm"
            variant="ghost"
            icon={UserRound}
            disabled={example === null}
            aria-label={`Example person of set ${place + 1}`}
            onClick={() => example && showExample(example)}
          >
            Example person
          </Button>
        ) : null}
        <SetButtons {...{ uid: set.uid, place, count, actions }} />
      </div>
      <div className="flex flex-col gap-3 p-3">
        <ServeLine set={set} place={place} />
        <SetRows set={set} place={place} />
        <FieldError>{problem}</FieldError>
        <Warnings warnings={shown} />
      </div>
    </>
  );
}

type ButtonsProps = Pick<Props, "place" | "count" | "actions"> & { uid: string };

function SetButtons({ uid, place, count, actions }: ButtonsProps) {
  const set = `set ${place + 1}`;
  const single = count <= 1;
  return (
    <div className="flex shrink-0 items-center max-sm:-mb-1 max-sm:ml-auto">
      <IconButton
        icon={ArrowUp}
        size="sm"
        label={`Move ${set} up`}
        disabled={place === 0}
        onClick={() => actions.move(uid, -1)}
      />
      <IconButton
        icon={ArrowDown}
        size="sm"
        label={`Move ${set} down`}
        disabled={place === count - 1}
        onClick={() => actions.move(uid, 1)}
      />
      <IconButton icon={Copy} size="sm" label={`Duplicate ${set}`} onClick={() => actions.duplicate(uid)} />
      <IconButton
        icon={Trash2}
        size="sm"
        label={single ? "A flag needs at least one set" : `Delete ${set}`}
        disabled={single}
        onClick={() => actions.remove(uid)}
      />
    </div>
  );
}
