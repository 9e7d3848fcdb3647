"use client";

import { ArrowDown, ArrowUp, Copy, GripVertical, Plus, Trash2 } from "lucide-react";
import { type DragEvent, memo, useMemo, useRef, useState } from "react";
import { Sentence } from "#components/conditions/sentence.tsx";
import type { PlacedProblem } from "#components/kit/editor/json.ts";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { VariantDot } from "#components/ui/display/share-bar.tsx";
import { FieldError } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { Menu, MenuItem } from "#components/ui/overlay/menu.tsx";
import type { FilterWarning } from "#lib/engines/evaluation/values/checks.ts";
import type { FlagProperty } from "#lib/people/conditions/filters-schema.ts";
import { serveTokens } from "#lib/people/conditions/words.ts";
import { canonical } from "#lib/platform/canonical.ts";
import { filtersOf, groupOf, type SetDraft } from "./draft.ts";
import { addRow, changeGroup } from "./edit-draft.ts";
import { type FiltersEditing, FiltersProvider, useFilters, useProblemAt } from "./filters-context.tsx";
import { isComplete } from "./property-kinds.ts";
import { ReachText } from "./reach-text.tsx";
import { RowEditor } from "./row-editor.tsx";
import { ShareSlider } from "./share-slider.tsx";
import { useNear } from "./use-near.ts";
import { WarningText } from "./warning-text.tsx";

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
  warnings: readonly FilterWarning[];
  actions: SetActions;
  dragged: boolean;
};

/** Sets further down get their controls when they come near the screen: hundreds of them would take seconds. */
const RENDERED_AT_ONCE = 12;

/** Warnings are found again after every change, mostly the same ones. */
const isSame = (before: Props, after: Props) =>
  (Object.keys(after) as (keyof Props)[]).every((name) =>
    name === "warnings"
      ? canonical(before.warnings) === canonical(after.warnings)
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
      <FiltersProvider value={own}>
        {near ? (
          <Contents {...props} />
        ) : (
          <div className="px-3 py-2">
            <Heading set={set} place={place} />
          </div>
        )}
      </FiltersProvider>
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

function Contents({ set, place, count, actions }: Props) {
  const { projectId, draft, warnings } = useFilters();
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
        <SetButtons {...{ uid: set.uid, place, count, actions }} />
      </div>
      <div className="flex flex-col gap-3 p-3">
        <ServeLine set={set} place={place} />
        <Rows set={set} place={place} />
        <FieldError>{problem}</FieldError>
        {shown.map((warning) => (
          <WarningText key={warning.message}>{warning.message}</WarningText>
        ))}
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

const BY_SHARE = "by-share";

function ServeLine({ set, place }: { set: SetDraft; place: number }) {
  const { draft, change } = useFilters();
  const shareProblem = useProblemAt(["groups", place, "rollout_percentage"]);
  const variantProblem = useProblemAt(["groups", place, "variant"]);
  const forced = set.group.variant ?? "";
  const options = draft.variants.map(({ variant }, index) => ({
    value: `=${variant.key}`,
    label: variant.key || "(no key)",
    icon: <VariantDot index={index} />,
  }));
  const unknown = forced && !options.some((option) => option.value === `=${forced}`);
  return (
    <div className="flex flex-col gap-1">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <span className="w-11 shrink-0 text-right text-faint text-xs max-sm:w-auto">
          {draft.multivariate ? "serve" : "for"}
        </span>
        {draft.multivariate ? (
          <Select
            label={`Variant of set ${place + 1}`}
            className="w-52"
            value={forced ? `=${forced}` : BY_SHARE}
            onValueChange={(next) =>
              change((each) =>
                changeGroup(each, set.uid, { variant: next === BY_SHARE ? null : next.slice(1) }),
              )
            }
            options={[
              { value: BY_SHARE, label: "a variant by percentage" },
              ...options,
              ...(unknown ? [{ value: `=${forced}`, label: `${forced} (no such variant)` }] : []),
            ]}
          />
        ) : null}
        {draft.multivariate ? <span className="text-faint text-xs">to</span> : null}
        <ShareSlider
          label={`Rollout percentage of set ${place + 1}`}
          value={set.group.rollout_percentage}
          invalid={shareProblem !== undefined}
          onValueChange={(rollout_percentage) =>
            change((each) => changeGroup(each, set.uid, { rollout_percentage }))
          }
        />
      </div>
      <FieldError>{shareProblem ?? variantProblem}</FieldError>
    </div>
  );
}

function Rows({ set, place }: { set: SetDraft; place: number }) {
  const { draft, change } = useFilters();
  const [noting, setNoting] = useState(false);
  const noted = noting || Boolean(set.group.description);
  const index = draft.rest.aggregation_group_type_index ?? null;
  const add = (property: FlagProperty) => change((each) => addRow(each, set.uid, property));
  const property: FlagProperty =
    index === null
      ? { key: "", type: "person", operator: "exact", value: [] }
      : { key: "", type: "group", group_type_index: index, operator: "exact", value: [] };
  return (
    <div className="flex flex-col gap-2">
      {set.rows.length > 0 ? (
        <ul className="flex flex-col gap-2">
          {set.rows.map((row, at) => (
            <RowEditor key={row.uid} setUid={set.uid} setPlace={place} row={row} place={at} />
          ))}
        </ul>
      ) : null}
      <div className="flex items-center gap-2 sm:pl-13">
        <Menu
          align="start"
          trigger={
            <Button size="sm" variant="ghost" icon={Plus}>
              Add a row<span className="sr-only"> to set {place + 1}</span>
            </Button>
          }
        >
          <MenuItem onSelect={() => add(property)} description="plan is pro, email contains @acme.com …">
            {index === null ? "Property of a person" : "Property of the group"}
          </MenuItem>
          {index === null ? (
            <MenuItem
              onSelect={() => add({ key: "id", type: "cohort", operator: "in", value: "" })}
              description="People who belong to a saved set"
            >
              Cohort
            </MenuItem>
          ) : null}
          <MenuItem
            onSelect={() => add({ key: "", type: "flag", operator: "flag_evaluates_to", value: true })}
            description="People for whom another flag is on"
          >
            Another flag
          </MenuItem>
        </Menu>
        {noted ? null : (
          <Button size="sm" variant="ghost" className="text-faint" onClick={() => setNoting(true)}>
            Add a note<span className="sr-only"> to set {place + 1}</span>
          </Button>
        )}
        {set.rows.length === 0 ? (
          <span className="text-faint text-xs max-sm:sr-only">No rows: matches everyone.</span>
        ) : null}
      </div>
      {noted ? <Note set={set} place={place} focused={noting} /> : null}
    </div>
  );
}

function Note({ set, place, focused }: { set: SetDraft; place: number; focused: boolean }) {
  const { change } = useFilters();
  return (
    <div className="sm:pl-13">
      <Input
        autoFocus={focused}
        aria-label={`Note on set ${place + 1}`}
        placeholder="What this set is for"
        value={set.group.description ?? ""}
        onChange={(event) =>
          change((each) => changeGroup(each, set.uid, { description: event.target.value || null }))
        }
      />
    </div>
  );
}
