"use client";

import { useSortable } from "@dnd-kit/sortable";
import { CSS } from "@dnd-kit/utilities";
import {
  ArrowDown,
  ArrowUp,
  CircleX,
  Copy,
  GripVertical,
  MoreHorizontal,
  Trash2,
  TriangleAlert,
} from "lucide-react";
import type { QuestionDraft } from "#components/surveys/draft/draft.ts";
import { jumpsOf, problemsAt } from "#components/surveys/draft/flow-words.ts";
import { useBuilder } from "#components/surveys/editing/builder-context.tsx";
import type { QuestionActions } from "#components/surveys/editing/use-question-actions.ts";
import { KindIcon } from "#components/surveys/question-kinds.tsx";
import { cn } from "#components/ui/cn.ts";
import { IconButton } from "#components/ui/icon-button.tsx";
import { Menu, MenuItem, MenuSeparator } from "#components/ui/overlay/menu.tsx";
import { kindName } from "#lib/surveys/surveys/questions/question_kinds/kinds.ts";

type Props = { question: QuestionDraft; place: number; commands: QuestionActions; onRemove: () => void };

/** One question of the list. */
export function QuestionRow({ question, place, commands, onRemove }: Props) {
  const { draft, selected, select, show, part, readOnly, jumpTo } = useBuilder();
  const sortable = useSortable({ id: question.uid, disabled: readOnly });
  const current = selected === question.uid;
  return (
    <li
      ref={sortable.setNodeRef}
      style={{ transform: CSS.Translate.toString(sortable.transform), transition: sortable.transition }}
      className={cn(
        "group relative flex items-start gap-1 rounded-lg border bg-surface py-1.5 pr-1 pl-0.5 shadow-card",
        current ? "border-accent bg-accent-soft" : "hover:border-line-control",
        sortable.isDragging && "z-10 shadow-pop",
      )}
    >
      {readOnly ? (
        <span className="w-2" />
      ) : (
        <button
          type="button"
          {...sortable.attributes}
          {...sortable.listeners}
          aria-label={`Move question ${place + 1}`}
          className="focus-inset grid h-7 w-5 shrink-0 cursor-grab touch-none place-items-center rounded-sm text-faint hover:text-ink"
        >
          <GripVertical aria-hidden="true" className="size-3.5" />
        </button>
      )}
      <button
        type="button"
        aria-current={current ? "true" : undefined}
        onClick={() => {
          select(question.uid);
          jumpTo(question.uid);
          if (part !== "flow") show("questions");
        }}
        className="focus-inset flex min-w-0 flex-1 flex-col gap-0.5 rounded-sm py-0.5 text-left"
      >
        <span className="flex min-w-0 items-center gap-1.5 text-2xs text-muted">
          <span className="tabular font-semibold text-ink">{place + 1}</span>
          <KindIcon type={question.raw.type} className="size-3 shrink-0" />
          <span className="truncate">
            {kindName(question.raw.type)}
            {question.raw.optional ? " · optional" : ""}
          </span>
          <Marks place={place} />
        </span>
        <span
          className={cn("line-clamp-2 break-words text-sm", !question.raw.question.trim() && "text-faint")}
        >
          {question.raw.question.trim() || "What do you ask?"}
        </span>
        <Jumps jumps={jumpsOf(draft.questions, question)} />
      </button>
      {readOnly ? null : <RowMenu place={place} uid={question.uid} commands={commands} onRemove={onRemove} />}
    </li>
  );
}

function Marks({ place }: { place: number }) {
  const { report, problems } = useBuilder();
  const own = problems.some(({ path }) => path[0] === "questions" && path[1] === place);
  const found = problemsAt(report, place);
  const serious = own || found.some((problem) => problem.severity === "error");
  if (!serious && found.length === 0) return null;
  const Icon = serious ? CircleX : TriangleAlert;
  return (
    <span className={cn("ml-auto flex items-center", serious ? "text-danger-text" : "text-warning-text")}>
      <Icon aria-hidden="true" className="size-3.5" />
      <span className="sr-only">{serious ? "has an error" : "has a warning"}</span>
    </span>
  );
}

function Jumps({ jumps }: { jumps: ReturnType<typeof jumpsOf> }) {
  if (jumps.length === 0) return null;
  const shown = jumps.slice(0, 3);
  return (
    <span className="mt-0.5 flex flex-wrap gap-x-2 gap-y-0.5 text-2xs text-muted">
      {shown.map((jump) => (
        <span key={`${jump.answer}${jump.to}`} className="inline-flex max-w-full items-center gap-1">
          <span className="max-w-28 truncate">{jump.answer.split(",")[0]}</span>
          <span aria-hidden="true">→</span>
          <span className="sr-only">leads to</span>
          <span className="font-medium text-accent-text">{jump.to}</span>
        </span>
      ))}
      {jumps.length > shown.length ? <span>and {jumps.length - shown.length} more</span> : null}
    </span>
  );
}

type MenuProps = { place: number; uid: string; commands: QuestionActions; onRemove: () => void };

function RowMenu({ place, uid, commands, onRemove }: MenuProps) {
  const last = useBuilder().draft.questions.length - 1;
  return (
    <Menu trigger={<IconButton icon={MoreHorizontal} size="sm" label={`More for question ${place + 1}`} />}>
      <MenuItem icon={ArrowUp} disabled={place === 0} onSelect={() => commands.move(uid, place - 1)}>
        Move up
      </MenuItem>
      <MenuItem icon={ArrowDown} disabled={place === last} onSelect={() => commands.move(uid, place + 1)}>
        Move down
      </MenuItem>
      <MenuItem icon={Copy} onSelect={() => commands.duplicate(uid)}>
        Duplicate
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={Trash2} danger onSelect={onRemove}>
        Delete
      </MenuItem>
    </Menu>
  );
}
