"use client";

import { Plus } from "lucide-react";
import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { Field, FieldError } from "#components/ui/form/field.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import { addSet, duplicateSet, forSubject, insertSet, moveSet, removeSet } from "./edit-draft.ts";
import { type FiltersEditing, useFilters, useProblemAt, type Warning } from "./filters-context.tsx";
import { type SetActions, SetCard } from "./set-card.tsx";

const NO_WARNINGS: readonly Warning[] = [];

/** The release conditions: sets in evaluation order. */
export function SetsEditor() {
  const editing = useFilters();
  const { draft, change, announce, problem, warnings, examples } = editing;
  const problemOfAll = useProblemAt(["groups"]);
  const [dragged, setDragged] = useState<string>();
  const list = useRef<HTMLOListElement>(null);
  const frame = useFrameOf(editing);
  const actions = useSetActions(list, setDragged);
  useLinkedSet(list);
  const warningsOf = Map.groupBy(warnings, ({ set }) => set);
  return (
    <div className="flex flex-col gap-3">
      <SubjectField />
      <p className="text-muted text-xs">
        Evaluated top to bottom: the first set that matches decides. Everyone else gets <em>off</em>.
      </p>
      <ol ref={list} className="flex flex-col gap-3">
        {draft.sets.map((set, place) => (
          <SetCard
            key={set.uid}
            set={set}
            place={place}
            count={draft.sets.length}
            editing={frame}
            problem={problem?.path[0] === "groups" && problem.path[1] === place ? problem : null}
            warnings={warningsOf.get(place) ?? NO_WARNINGS}
            example={examples?.[place] ?? null}
            actions={actions}
            dragged={dragged === set.uid}
          />
        ))}
      </ol>
      <FieldError>{problemOfAll}</FieldError>
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

/** The editor as every set sees it: the same object while only sets change. */
function useFrameOf({
  draft,
  problem: _,
  warnings: __,
  examples: ___,
  ...around
}: FiltersEditing): FiltersEditing {
  const { projectId, flagId, change, names, learn, announce, readOnly, showExample } = around;
  const { rest, multivariate, variants } = draft;
  return useMemo(
    () => ({
      ...{ projectId, flagId, change, names, learn, announce, readOnly, showExample },
      draft: { rest, multivariate, variants, sets: [], payload: undefined, other_payloads: {} },
      problem: null,
      warnings: NO_WARNINGS,
    }),
    [projectId, flagId, change, names, learn, announce, readOnly, showExample, rest, multivariate, variants],
  );
}

/** What can be done with whole sets. */
function useSetActions(list: RefObject<HTMLOListElement | null>, setDragged: (uid?: string) => void) {
  const { draft, change, announce } = useFilters();
  const latest = useRef(draft.sets);
  latest.current = draft.sets;
  const dragged = useRef<string>(undefined);
  return useMemo<SetActions>(() => {
    const placeOf = (uid: string) => latest.current.findIndex((set) => set.uid === uid);
    return {
      move(uid, by) {
        const from = placeOf(uid);
        change((each) => moveSet(each, from, from + by));
        announce(`Set moved to position ${from + by + 1} of ${latest.current.length}`);
        // The set keeps its buttons; the focus follows it to its new place.
        const pressed = by < 0 ? "up" : "down";
        requestAnimationFrame(() => {
          const card = list.current?.querySelector(`[data-set="${uid}"]`);
          const buttons = [
            ...(card?.querySelectorAll<HTMLButtonElement>("button[aria-label^='Move set']") ?? []),
          ];
          const same = buttons.find((button) => button.getAttribute("aria-label")?.endsWith(pressed));
          (same?.disabled ? buttons.find((button) => !button.disabled) : same)?.focus();
        });
      },
      duplicate(uid) {
        const place = placeOf(uid);
        change((each) => duplicateSet(each, uid));
        announce(`Set ${place + 1} duplicated as set ${place + 2}`);
      },
      remove(uid) {
        const place = placeOf(uid);
        const set = latest.current[place];
        if (!set) return;
        change((each) => removeSet(each, uid));
        toast.withUndo(
          `Set ${place + 1} was removed`,
          async () => {
            change((each) => insertSet(each, set, place));
            return undefined;
          },
          `Set ${place + 1} is back`,
        );
      },
      drag(uid, event, phase) {
        if (phase === "start") {
          event.dataTransfer.effectAllowed = "move";
          dragged.current = uid;
          setDragged(uid);
        } else if (phase === "end") {
          dragged.current = undefined;
          setDragged(undefined);
        } else if (dragged.current) {
          event.preventDefault();
          const moving = dragged.current;
          if (moving !== uid) change((each) => moveSet(each, placeOf(moving), placeOf(uid)));
        }
      },
    };
  }, [list, setDragged, change, announce]);
}

/** Goes to the set that the address names, `#set-2`: it is scrolled to and focused. */
function useLinkedSet(list: RefObject<HTMLOListElement | null>) {
  useEffect(() => {
    const go = () => {
      const { hash } = window.location;
      const set = /^#set-\d+$/.test(hash) ? list.current?.querySelector<HTMLElement>(hash) : null;
      set?.scrollIntoView({ block: "start" });
      set?.focus({ preventScroll: true });
    };
    go();
    window.addEventListener("hashchange", go);
    return () => window.removeEventListener("hashchange", go);
  }, [list]);
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
