"use client";

import { ArrowDown, ArrowUp, Copy, GripVertical, Plus, Trash2 } from "lucide-react";
import { type DragEvent, type Ref, useState } from "react";
import { Sentence } from "#components/conditions/sentence.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { VariantDot } from "#components/ui/display/share-bar.tsx";
import { FieldError } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { Menu, MenuItem } from "#components/ui/overlay/menu.tsx";
import type { FlagProperty } from "#lib/people/conditions/filters-schema.ts";
import { serveTokens } from "#lib/people/conditions/words.ts";
import { filtersOf, type SetDraft } from "./draft.ts";
import { addRow, changeGroup } from "./edit-draft.ts";
import { useFilters, useProblemAt } from "./filters-context.tsx";
import { isComplete } from "./property-kinds.ts";
import { ReachText } from "./reach-text.tsx";
import { RowEditor } from "./row-editor.tsx";
import { ShareSlider } from "./share-slider.tsx";
import { WarningText } from "./warning-text.tsx";

type SetMoves = {
  up?: () => void;
  down?: () => void;
  duplicate: () => void;
  remove?: () => void;
};

type Props = {
  ref?: Ref<HTMLLIElement>;
  set: SetDraft;
  place: number;
  moves: SetMoves;
  dragged: boolean;
  onDrag: (event: DragEvent, phase: "start" | "over" | "end") => void;
};

/** One condition set: its sentence, who it matches and how many, what they get. */
export function SetCard({ ref, set, place, moves, dragged, onDrag }: Props) {
  const { projectId, draft, warnings, names } = useFilters();
  const problem = useProblemAt(["groups", place]);
  const filters = filtersOf(draft);
  const group = filters.groups[place] ?? set.group;
  const index = filters.aggregation_group_type_index ?? null;
  const shown = warnings.filter((warning) => warning.set === place && warning.row === null);
  return (
    <li
      ref={ref}
      data-path={`groups/${place}`}
      onDragOver={(event) => onDrag(event, "over")}
      className={cn("rounded-lg border bg-surface shadow-card", dragged && "opacity-50")}
    >
      <div className="flex flex-wrap items-start gap-1 border-b px-3 py-2 sm:flex-nowrap">
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the pointer's way; the arrow buttons are the keyboard's */}
        <span
          draggable
          onDragStart={(event) => onDrag(event, "start")}
          onDragEnd={(event) => onDrag(event, "end")}
          title="Drag to reorder"
          className="-ml-1.5 grid h-7 w-5 shrink-0 cursor-grab place-items-center text-faint hover:text-ink max-sm:hidden"
        >
          <GripVertical aria-hidden="true" className="size-3.5" />
        </span>
        <div className="min-w-0 flex-1 pt-1 max-sm:order-last max-sm:basis-full max-sm:pt-0">
          <h3 className="text-sm">
            <span className="font-semibold">Set {place + 1}</span>
            <span className="text-faint"> · </span>
            <Sentence tokens={serveTokens(group, filters, names)} className="text-muted" />
          </h3>
          <p aria-live="polite" className="text-muted text-xs">
            <ReachText
              projectId={projectId}
              group={group}
              groupTypeIndex={index}
              complete={(group.properties ?? []).every(isComplete)}
            />
          </p>
        </div>
        <SetButtons place={place} moves={moves} />
      </div>
      <div className="flex flex-col gap-3 p-3">
        <ServeLine set={set} place={place} />
        <Rows set={set} place={place} />
        <FieldError>{problem}</FieldError>
        {shown.map((warning) => (
          <WarningText key={warning.message}>{warning.message}</WarningText>
        ))}
      </div>
    </li>
  );
}

function SetButtons({ place, moves }: { place: number; moves: SetMoves }) {
  const set = `set ${place + 1}`;
  return (
    <div className="flex shrink-0 items-center max-sm:-mb-1 max-sm:ml-auto">
      <IconButton icon={ArrowUp} size="sm" label={`Move ${set} up`} disabled={!moves.up} onClick={moves.up} />
      <IconButton
        icon={ArrowDown}
        size="sm"
        label={`Move ${set} down`}
        disabled={!moves.down}
        onClick={moves.down}
      />
      <IconButton icon={Copy} size="sm" label={`Duplicate ${set}`} onClick={moves.duplicate} />
      <IconButton
        icon={Trash2}
        size="sm"
        label={moves.remove ? `Delete ${set}` : "A flag needs at least one set"}
        disabled={!moves.remove}
        onClick={moves.remove}
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
