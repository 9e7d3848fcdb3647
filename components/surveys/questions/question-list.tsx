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
import { SortableContext, sortableKeyboardCoordinates, verticalListSortingStrategy } from "@dnd-kit/sortable";
import { Plus } from "lucide-react";
import { useState } from "react";
import { questionName } from "#components/surveys/draft/flow-words.ts";
import { useBuilder } from "#components/surveys/editing/builder-context.tsx";
import { useQuestionActions } from "#components/surveys/editing/use-question-actions.ts";
import { KIND_OPTIONS } from "#components/surveys/question-kinds.tsx";
import { Button } from "#components/ui/button.tsx";
import { Menu, MenuItem } from "#components/ui/overlay/menu.tsx";
import type { QuestionType } from "#lib/engines/branching/question.ts";
import { QuestionRow } from "./question-row.tsx";
import { RemoveDialog } from "./remove-dialog.tsx";

/** The list of questions: select, move by pointer or keys, duplicate, delete. */
export function QuestionList() {
  const { draft, readOnly } = useBuilder();
  const [removing, setRemoving] = useState<string>();
  const commands = useQuestionActions();
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const uids = draft.questions.map((question) => question.uid);
  function onDragEnd({ active, over }: DragEndEvent) {
    if (over && active.id !== over.id) commands.move(String(active.id), uids.indexOf(String(over.id)));
  }
  return (
    <section aria-label="Questions" className="flex min-w-0 flex-col gap-2">
      <DndContext
        id="survey-questions"
        sensors={sensors}
        collisionDetection={closestCenter}
        onDragEnd={onDragEnd}
        accessibility={{
          announcements: announcementsFor((uid) => questionName(draft.questions, uid), uids),
          screenReaderInstructions: {
            draggable:
              "To move the question, press Space, then the arrow keys. Press Space again to drop it, or Escape to cancel.",
          },
        }}
      >
        <SortableContext items={uids} strategy={verticalListSortingStrategy}>
          <ol className="flex flex-col gap-1.5">
            {draft.questions.map((question, place) => (
              <QuestionRow
                key={question.uid}
                question={question}
                place={place}
                commands={commands}
                onRemove={() => commands.remove(question.uid, () => setRemoving(question.uid))}
              />
            ))}
          </ol>
        </SortableContext>
      </DndContext>
      {draft.questions.length === 0 ? (
        <p className="rounded-lg border border-line-strong border-dashed px-4 py-6 text-center text-muted text-sm">
          Add the first question.
        </p>
      ) : null}
      {readOnly ? null : <AddQuestion add={commands.add} />}
      {removing ? (
        <RemoveDialog
          uid={removing}
          onClose={() => setRemoving(undefined)}
          onConfirm={(instead) => commands.removeNow(removing, instead)}
        />
      ) : null}
    </section>
  );
}

function AddQuestion({ add }: { add: (type: QuestionType) => void }) {
  return (
    <Menu
      align="start"
      trigger={
        <Button icon={Plus} className="w-full border-dashed shadow-none">
          Add a question
        </Button>
      }
    >
      {KIND_OPTIONS.map(({ value, label, description, icon }) => (
        <MenuItem key={value} icon={icon} description={description} onSelect={() => add(value)}>
          {label}
        </MenuItem>
      ))}
    </Menu>
  );
}

const announcementsFor = (nameOf: (uid: string) => string, uids: string[]) => {
  const placeOf = (id: unknown) => `${uids.indexOf(String(id)) + 1} of ${uids.length}`;
  return {
    onDragStart: ({ active }: { active: { id: string | number } }) =>
      `${nameOf(String(active.id))} was picked up at position ${placeOf(active.id)}.`,
    onDragOver: ({ over }: { over: { id: string | number } | null }) =>
      over ? `It would move to position ${placeOf(over.id)}.` : "It is outside the list.",
    onDragEnd: ({ over }: { over: { id: string | number } | null }) =>
      over ? `It was dropped at position ${placeOf(over.id)}.` : "It stays where it was.",
    onDragCancel: () => "It stays where it was.",
  };
};
