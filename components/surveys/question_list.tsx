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
import { Button } from "#components/ui/button.tsx";
import { Menu, MenuItem } from "#components/ui/menu.tsx";
import { useBuilder } from "./builder_context.tsx";
import { questionName } from "./flow_words.ts";
import { KINDS, kindWord } from "./kinds.tsx";
import { QuestionRow } from "./question_row.tsx";
import { RemoveDialog } from "./remove_dialog.tsx";
import { useQuestionDeeds } from "./use_question_deeds.ts";

/** The questions in their order: chosen, moved by pointer or keys, copied, taken out. */
export function QuestionList() {
  const { draft, readOnly } = useBuilder();
  const [removing, setRemoving] = useState<string>();
  const deeds = useQuestionDeeds();
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const uids = draft.questions.map((question) => question.uid);
  function onDragEnd({ active, over }: DragEndEvent) {
    if (over && active.id !== over.id) deeds.move(String(active.id), uids.indexOf(String(over.id)));
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
              "To move the question press space, then the arrow keys; space again puts it down, escape leaves it where it was.",
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
                deeds={deeds}
                onRemove={() => deeds.remove(question.uid, () => setRemoving(question.uid))}
              />
            ))}
          </ol>
        </SortableContext>
      </DndContext>
      {draft.questions.length === 0 ? (
        <p className="rounded-lg border border-line-strong border-dashed px-4 py-6 text-center text-muted text-sm">
          A survey begins with a question.
        </p>
      ) : null}
      {readOnly ? null : <AddQuestion add={deeds.add} />}
      {removing ? (
        <RemoveDialog
          uid={removing}
          onClose={() => setRemoving(undefined)}
          onConfirm={(instead) => deeds.removeNow(removing, instead)}
        />
      ) : null}
    </section>
  );
}

function AddQuestion({ add }: { add: (type: string) => void }) {
  return (
    <Menu
      align="start"
      trigger={
        <Button icon={Plus} className="w-full border-dashed shadow-none">
          Add a question
        </Button>
      }
    >
      {KINDS.map((kind) => (
        <MenuItem key={kind.value} icon={kind.icon} description={kind.text} onSelect={() => add(kind.value)}>
          {kindWord(kind.value)}
        </MenuItem>
      ))}
    </Menu>
  );
}

const announcementsFor = (nameOf: (uid: string) => string, uids: string[]) => {
  const placeOf = (id: unknown) => `${uids.indexOf(String(id)) + 1} of ${uids.length}`;
  return {
    onDragStart: ({ active }: { active: { id: string | number } }) =>
      `${nameOf(String(active.id))} was picked up at place ${placeOf(active.id)}.`,
    onDragOver: ({ over }: { over: { id: string | number } | null }) =>
      over ? `It would stand at place ${placeOf(over.id)}.` : "It is outside the list.",
    onDragEnd: ({ over }: { over: { id: string | number } | null }) =>
      over ? `It was put down at place ${placeOf(over.id)}.` : "It stays where it was.",
    onDragCancel: () => "It stays where it was.",
  };
};
