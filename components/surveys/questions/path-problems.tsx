"use client";

import { CircleCheck, CircleX, Play, TriangleAlert } from "lucide-react";
import { lengthWords } from "#components/surveys/draft/flow-words.ts";
import { useBuilder } from "#components/surveys/editing/builder-context.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import type { Problem } from "#lib/engines/branching/paths-types.ts";

/** One problem of the path check, with answers that reproduce it. */
export function ProblemText({ problem }: { problem: Problem }) {
  const { play, select, draft, announce } = useBuilder();
  const serious = problem.severity === "error";
  const Icon = serious ? CircleX : TriangleAlert;
  const steps = problem.counterexample;
  return (
    <div
      className={cn(
        "flex items-start gap-2 rounded-md border px-2.5 py-2 text-xs",
        serious ? "border-danger-line bg-danger-soft" : "border-warning-line bg-warning-soft",
      )}
    >
      <Icon
        aria-hidden="true"
        className={cn("mt-px size-3.5 shrink-0", serious ? "text-danger-text" : "text-warning-text")}
      />
      <span className="sr-only">{serious ? "Error: " : "Warning: "}</span>
      <div className="flex min-w-0 flex-1 flex-col items-start gap-1.5">
        <p className="break-words text-ink">{problem.message}</p>
        {steps && steps.length > 0 ? (
          <Button
            size="sm"
            icon={Play}
            onClick={() => {
              play(steps);
              select(draft.questions[problem.question]?.uid ?? null);
              announce("The preview shows where these answers lead");
            }}
          >
            Play this path
            <span className="sr-only"> to question {problem.question + 1}</span>
          </Button>
        ) : null}
      </div>
    </div>
  );
}

/** The result of the path check. */
export function PathVerdict() {
  const { report, draft } = useBuilder();
  if (draft.questions.length === 0) return null;
  const { problems, problems_left_out: more } = report;
  const good = report.every_path_ends && problems.length === 0;
  return (
    <section aria-label="Path check" className="flex flex-col gap-2">
      <p
        aria-live="polite"
        className={cn(
          "flex items-start gap-2 text-sm",
          report.every_path_ends ? "text-success-text" : "text-danger-text",
        )}
      >
        {report.every_path_ends ? (
          <CircleCheck aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
        ) : (
          <CircleX aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
        )}
        <span>
          <strong className="font-medium">
            {report.every_path_ends ? "Every path ends." : "Some paths never end."}
          </strong>{" "}
          <span className="text-muted">{lengthWords(report)}</span>
        </span>
      </p>
      {good ? null : (
        <ul aria-label="Problems of the flow" className="flex flex-col gap-1.5">
          {problems.map((problem) => (
            <li key={`${problem.code} ${problem.question} ${problem.answer_key}`}>
              <ProblemText problem={problem} />
            </li>
          ))}
        </ul>
      )}
      {more > 0 ? <p className="text-muted text-xs">And {more} more.</p> : null}
    </section>
  );
}
