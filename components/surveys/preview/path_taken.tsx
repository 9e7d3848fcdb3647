"use client";

import { ChevronRight } from "lucide-react";
import { useBuilder } from "../builder_context.tsx";

const shown = (response: unknown): string => {
  if (response === null || response === "") return "skipped";
  if (Array.isArray(response)) return response.join(", ");
  return String(response);
};

/** The questions that were answered in the preview, and with what; a press goes back to one of them. */
export function PathTaken() {
  const { draft, replay, answer } = useBuilder();
  const { given, standing } = replay;
  const placeOf = (uid: string) => draft.questions.findIndex((question) => question.uid === uid) + 1;
  return (
    <nav aria-label="Path taken">
      <ol className="flex flex-wrap items-center gap-x-1 gap-y-1 text-xs">
        {given.map((step, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a loop asks the same question twice; its turn tells them apart
          <li key={at} className="flex min-w-0 items-center gap-1">
            <button
              type="button"
              title={`Back to question ${placeOf(step.uid)}`}
              onClick={() => answer(given.slice(0, at))}
              className="inline-flex min-h-6 min-w-0 items-center gap-1.5 rounded-sm border bg-surface px-1.5 text-muted hover:text-ink"
            >
              <span className="tabular font-semibold text-ink">{placeOf(step.uid)}</span>
              <span className="max-w-28 truncate">{shown(step.response)}</span>
            </button>
            <ChevronRight aria-hidden="true" className="size-3 shrink-0 text-faint" />
          </li>
        ))}
        <li className="inline-flex min-h-6 items-center font-medium">
          {standing.at === "question"
            ? `Question ${placeOf(standing.uid)}`
            : standing.at === "end"
              ? "End"
              : "Stuck"}
        </li>
      </ol>
    </nav>
  );
}
