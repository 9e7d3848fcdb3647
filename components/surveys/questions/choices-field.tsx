"use client";

import {
  closestCenter,
  DndContext,
  type DragEndEvent,
  KeyboardSensor,
  PointerSensor,
  useSensor,
  useSensors,
} from "@dnd-kit/core";
import {
  SortableContext,
  sortableKeyboardCoordinates,
  useSortable,
  verticalListSortingStrategy,
} from "@dnd-kit/sortable";
import { CSS } from "@dnd-kit/utilities";
import { GripVertical, Plus, X } from "lucide-react";
import { useRef } from "react";
import type { ChoiceDraft, QuestionDraft } from "#components/surveys/draft/draft.ts";
import {
  addChoice,
  moveChoice,
  removeChoice,
  renameChoice,
  setOpenChoice,
} from "#components/surveys/draft/edit-draft.ts";
import { useBuilder, useProblem, usePut } from "#components/surveys/editing/builder-context.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { Badge } from "#components/ui/display/badge.tsx";
import { Checkbox } from "#components/ui/form/checkbox.tsx";
import { Field, FieldError } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { ChoiceEditNotice, RemovedChoices } from "./choice-edit-notice.tsx";

/** What can be chosen: in order, with an open last one, shuffled or not. */
export function ChoicesField({ question }: { question: QuestionDraft }) {
  const { changeQuestions, readOnly, announce } = useBuilder();
  const put = usePut(question.uid);
  const list = useRef<HTMLOListElement>(null);
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const choices = question.choices ?? [];
  const { uid, raw } = question;
  const open = raw.hasOpenChoice === true;

  function onDragEnd({ active, over }: DragEndEvent) {
    const to = choices.findIndex((choice) => choice.uid === over?.id);
    if (to < 0) return;
    changeQuestions((each) => moveChoice(each, uid, String(active.id), to));
    announce(`Choice moved to position ${to + 1} of ${choices.length}`);
  }
  function add() {
    changeQuestions((each) => addChoice(each, uid, ""));
    requestAnimationFrame(() => {
      const boxes = list.current?.querySelectorAll("input");
      boxes?.[boxes.length - (open ? 2 : 1)]?.focus();
    });
  }
  return (
    <Field as="group" label="Choices" error={useProblem("choices.root", uid)}>
      <DndContext
        id={`choices-${uid}`}
        sensors={sensors}
        collisionDetection={closestCenter}
        onDragEnd={onDragEnd}
      >
        <SortableContext items={choices.map((choice) => choice.uid)} strategy={verticalListSortingStrategy}>
          <ol ref={list} className="flex flex-col gap-1.5">
            {choices.map((choice, place) => (
              <ChoiceRow
                key={choice.uid}
                question={question}
                choice={choice}
                place={place}
                isOpen={open && place === choices.length - 1}
                onEnter={add}
              />
            ))}
          </ol>
        </SortableContext>
      </DndContext>
      <RemovedChoices question={question} />
      {readOnly ? null : (
        <Button size="sm" variant="ghost" icon={Plus} className="w-fit" onClick={add}>
          Add a choice
        </Button>
      )}
      <div className="mt-1 flex flex-col gap-2">
        <Checkbox
          label="The last choice takes a free-text answer"
          description="“Other”, with a text box. It always stays last."
          checked={open}
          onCheckedChange={(next) => changeQuestions((each) => setOpenChoice(each, uid, next === true))}
        />
        <Checkbox
          label="Shuffle"
          description="Each person sees the choices in a random order, so that the first one has no advantage."
          checked={raw.shuffleOptions === true}
          onCheckedChange={(next) => put({ shuffleOptions: next === true })}
        />
      </div>
    </Field>
  );
}

type RowProps = {
  question: QuestionDraft;
  choice: ChoiceDraft;
  place: number;
  isOpen: boolean;
  onEnter: () => void;
};

function ChoiceRow({ question, choice, place, isOpen, onEnter }: RowProps) {
  const { changeQuestions, readOnly } = useBuilder();
  const sortable = useSortable({ id: choice.uid, disabled: readOnly || isOpen });
  const problem = useProblem(`choices.${place}.text`, question.uid);
  return (
    <li
      ref={sortable.setNodeRef}
      style={{ transform: CSS.Translate.toString(sortable.transform), transition: sortable.transition }}
      className={cn("flex flex-col gap-1", sortable.isDragging && "relative z-10 opacity-90")}
    >
      <div className="flex items-center gap-1">
        {isOpen || readOnly ? (
          <span className="w-5 shrink-0" />
        ) : (
          <button
            type="button"
            {...sortable.attributes}
            {...sortable.listeners}
            aria-label={`Move choice ${place + 1}`}
            className="focus-inset grid h-8 w-5 shrink-0 cursor-grab touch-none place-items-center rounded-sm text-faint hover:text-ink"
          >
            <GripVertical aria-hidden="true" className="size-3.5" />
          </button>
        )}
        <Input
          id={`choice-${choice.uid}`}
          aria-label={`Choice ${place + 1}`}
          aria-invalid={problem ? true : undefined}
          aria-describedby={problem ? `choice-${choice.uid}-e` : undefined}
          value={choice.text}
          readOnly={readOnly}
          placeholder={`Choice ${place + 1}`}
          onChange={(event) =>
            changeQuestions((each) => renameChoice(each, question.uid, choice.uid, event.target.value))
          }
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            onEnter();
          }}
        />
        {isOpen ? <Badge>open</Badge> : null}
        {readOnly ? null : (
          <IconButton
            icon={X}
            size="sm"
            label={`Remove choice ${place + 1}`}
            onClick={() => changeQuestions((each) => removeChoice(each, question.uid, choice.uid))}
          />
        )}
      </div>
      <FieldError id={`choice-${choice.uid}-e`}>{problem}</FieldError>
      <ChoiceEditNotice question={question} choice={choice} place={place} />
    </li>
  );
}
