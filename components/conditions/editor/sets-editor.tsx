"use client";

import { Plus } from "lucide-react";
import { type DragEvent, useRef, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { Field, FieldError } from "#components/ui/form/field.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { SetDraft } from "./draft.ts";
import { addSet, duplicateSet, forSubject, insertSet, moveSet, removeSet } from "./edit-draft.ts";
import { useFilters, useProblemAt } from "./filters-context.tsx";
import { SetCard } from "./set-card.tsx";

/** The release conditions: sets in evaluation order. */
export function SetsEditor() {
  const { draft, change, announce } = useFilters();
  const problem = useProblemAt(["groups"]);
  const [dragged, setDragged] = useState<string>();
  const cards = useRef(new Map<string, HTMLElement>());

  function move(uid: string, from: number, to: number) {
    change((each) => moveSet(each, from, to));
    announce(`Set moved to position ${to + 1} of ${draft.sets.length}`);
    // The set keeps its buttons; the focus follows it to its new place.
    const pressed = to < from ? "up" : "down";
    requestAnimationFrame(() => {
      const card = cards.current.get(uid);
      const buttons = [
        ...(card?.querySelectorAll<HTMLButtonElement>("button[aria-label^='Move set']") ?? []),
      ];
      const same = buttons.find((button) => button.getAttribute("aria-label")?.endsWith(pressed));
      (same?.disabled ? buttons.find((button) => !button.disabled) : same)?.focus();
    });
  }

  function remove(set: SetDraft, place: number) {
    change((each) => removeSet(each, set.uid));
    toast.withUndo(
      `Set ${place + 1} was removed`,
      async () => {
        change((each) => insertSet(each, set, place));
        return undefined;
      },
      `Set ${place + 1} is back`,
    );
  }

  function drag(set: SetDraft, event: DragEvent, phase: "start" | "over" | "end") {
    if (phase === "start") {
      event.dataTransfer.effectAllowed = "move";
      setDragged(set.uid);
    } else if (phase === "end") setDragged(undefined);
    else if (dragged) {
      event.preventDefault();
      if (dragged === set.uid) return;
      change((each) => {
        const place = (uid: string) => each.sets.findIndex((one) => one.uid === uid);
        return moveSet(each, place(dragged), place(set.uid));
      });
    }
  }

  return (
    <div className="flex flex-col gap-3">
      <SubjectField />
      <p className="text-muted text-xs">
        Evaluated top to bottom: the first set that matches decides. Everyone else gets <em>off</em>.
      </p>
      <ol className="flex flex-col gap-3">
        {draft.sets.map((set, place) => (
          <SetCard
            key={set.uid}
            ref={(card) => {
              if (card) cards.current.set(set.uid, card);
              else cards.current.delete(set.uid);
            }}
            set={set}
            place={place}
            dragged={dragged === set.uid}
            onDrag={(event, phase) => drag(set, event, phase)}
            moves={{
              up: place > 0 ? () => move(set.uid, place, place - 1) : undefined,
              down: place < draft.sets.length - 1 ? () => move(set.uid, place, place + 1) : undefined,
              duplicate: () => {
                change((each) => duplicateSet(each, set.uid));
                announce(`Set ${place + 1} duplicated as set ${place + 2}`);
              },
              remove: draft.sets.length > 1 ? () => remove(set, place) : undefined,
            }}
          />
        ))}
      </ol>
      <FieldError>{problem}</FieldError>
      <div>
        <Button
          icon={Plus}
          onClick={() => {
            change(addSet);
            announce(`Set ${draft.sets.length + 1} added`);
          }}
        >
          Add a set
        </Button>
      </div>
    </div>
  );
}

/** What the flag is evaluated for if the project has groups: people, or one of its group types. */
function SubjectField() {
  const { draft, change, names, announce } = useFilters();
  const index = draft.rest.aggregation_group_type_index ?? null;
  const kinds = [...(names.groups ?? [])];
  if (kinds.length === 0 && index === null) return null;
  const options = [
    { value: "people", label: "people" },
    ...kinds.map(([number, name]) => ({ value: String(number), label: name })),
    ...(index !== null && !names.groups?.has(index)
      ? [{ value: String(index), label: `groups of type ${index}` }]
      : []),
  ];
  return (
    <Field label="Evaluated for" description="Everyone in a group gets the same value.">
      <Select
        className="sm:w-64"
        value={index === null ? "people" : String(index)}
        options={options}
        onValueChange={(next) => {
          const former = draft;
          change((each) => forSubject(each, next === "people" ? null : Number(next)));
          announce("Rows now use properties of the new type");
          if (draft.sets.some((set) => set.rows.length > 0))
            toast.withUndo(
              "The rows were carried over; check that their properties exist there",
              async () => {
                change(() => former);
                return undefined;
              },
              "The previous rows are back",
            );
        }}
      />
    </Field>
  );
}
