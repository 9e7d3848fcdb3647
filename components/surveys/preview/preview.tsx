"use client";

import { ChevronRight, RotateCcw } from "lucide-react";
import { useState } from "react";
import { useBuilder } from "#components/surveys/editing/builder-context.tsx";
import { textOf } from "#components/surveys/editing/use-put.ts";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { Box } from "./box.tsx";
import { HtmlText } from "./html-text.tsx";
import { QuestionCard } from "./question-card.tsx";
import { themeOf } from "./theme.ts";

const text = (value: unknown, otherwise = ""): string => (typeof value === "string" ? value : otherwise);

/** What is shown at the end of a survey. */
function ThanksCard() {
  const { draft, answer } = useBuilder();
  const appearance = draft.appearance ?? {};
  const theme = themeOf(draft.appearance);
  if (appearance.displayThankYouMessage === false)
    return <p className="text-center text-muted text-sm">The survey closes without a message.</p>;
  const description = text(appearance.thankYouMessageDescription);
  return (
    <Box label="Thanks">
      <p className="break-words font-semibold text-lg">
        {text(appearance.thankYouMessageHeader, "Thank you for your feedback!")}
      </p>
      {description ? (
        appearance.thankYouMessageDescriptionContentType === "html" ? (
          <HtmlText html={description} className="break-words text-sm [&_a]:underline" />
        ) : (
          <p className="break-words text-sm">{description}</p>
        )
      ) : null}
      <button
        type="button"
        onClick={() => answer([])}
        style={{ backgroundColor: theme.button, color: theme.buttonText }}
        className="h-9 rounded-md px-4 font-semibold text-sm"
      >
        {text(appearance.thankYouMessageCloseButtonText) || "Close"}
      </button>
    </Box>
  );
}

const shown = (response: unknown): string => {
  if (response === null || response === "") return "skipped";
  if (Array.isArray(response)) return response.join(", ");
  return String(response);
};

/** The questions that were answered in the preview, and with what; a press goes back to one of them. */
function PathTaken() {
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

/** What stands before the first question. */
function IntroCard({ onBegin }: { onBegin: () => void }) {
  const { draft } = useBuilder();
  const appearance = draft.appearance ?? {};
  const theme = themeOf(draft.appearance);
  const description = textOf(appearance.introScreenDescription);
  return (
    <Box label="Welcome">
      <p className="break-words font-semibold text-lg">
        {textOf(appearance.introScreenHeader).trim() || draft.fields.name.trim() || "Welcome"}
      </p>
      {description ? (
        appearance.introScreenDescriptionContentType === "html" ? (
          <HtmlText html={description} className="break-words text-sm [&_a]:underline" />
        ) : (
          <p className="whitespace-pre-line break-words text-sm">{description}</p>
        )
      ) : null}
      <button
        type="button"
        onClick={onBegin}
        style={{ backgroundColor: theme.button, color: theme.buttonText }}
        className="min-h-9 rounded-md px-4 py-1 font-semibold text-sm"
      >
        {textOf(appearance.introScreenButtonText) || "Start"}
      </button>
    </Box>
  );
}

/** Whether the welcome page is shown: until somebody starts or selects a question. */
function useIntro() {
  const { draft, replay, selected } = useBuilder();
  const on = draft.appearance?.displayIntroScreen === true;
  const [begun, setBegun] = useState(false);
  const [before, setBefore] = useState({ on, selected });
  if (before.on !== on || before.selected !== selected) {
    setBefore({ on, selected });
    setBegun(before.on === on);
  }
  return { intro: on && !begun && replay.given.length === 0, begun: on && begun, setBegun };
}

/** The survey as respondents see it; it can be answered and follows the branching. */
export function Preview({ className }: { className?: string }) {
  const { draft, replay, answer, selected, report } = useBuilder();
  const { given, standing } = replay;
  const place = draft.questions.findIndex((question) => question.uid === selected);
  const { intro, begun, setBegun } = useIntro();
  const lost = place >= 0 && !report.reachable.includes(place) && draft.questions.length > 0;
  return (
    <section aria-label="Preview" className={cn("flex min-w-0 flex-col gap-3", className)}>
      <div className="flex items-center justify-between gap-2">
        <h2 className="font-semibold text-base">Preview</h2>
        <Button
          size="sm"
          variant="ghost"
          icon={RotateCcw}
          disabled={given.length === 0 && !begun}
          onClick={() => {
            answer([]);
            setBegun(false);
          }}
        >
          Restart
        </Button>
      </div>
      {lost ? (
        <p className="text-warning-text text-xs">
          No answers lead to question {place + 1}, so it is never shown.
        </p>
      ) : null}
      <Stage>
        {draft.questions.length === 0 ? (
          <p className="py-10 text-center text-muted text-sm">No questions yet.</p>
        ) : intro ? (
          <IntroCard onBegin={() => setBegun(true)} />
        ) : standing.at === "question" ? (
          <QuestionCard key={`${standing.uid} ${given.length}`} uid={standing.uid} />
        ) : standing.at === "end" ? (
          <ThanksCard />
        ) : (
          <p className="rounded-md border border-danger-line bg-danger-soft px-3 py-2 text-sm">
            Browsers stop here with an error: {standing.message}
          </p>
        )}
        <WidgetTab />
      </Stage>
      <PathTaken />
    </section>
  );
}

/** A sample of the team's page. */
function Stage({ children }: { children: React.ReactNode }) {
  return (
    <div className="relative flex min-h-72 flex-col items-center justify-center overflow-hidden rounded-lg border bg-[radial-gradient(var(--line-strong)_1px,transparent_1px)] bg-sunken px-3 py-6 [background-size:14px_14px]">
      {children}
    </div>
  );
}

const EDGES: Record<string, string> = {
  right: "right-0 bottom-6 rounded-l-md [writing-mode:vertical-rl]",
  left: "bottom-6 left-0 rotate-180 rounded-l-md [writing-mode:vertical-rl]",
  top: "top-0 right-6 rounded-b-md",
  bottom: "right-6 bottom-0 rounded-t-md",
};

function WidgetTab() {
  const { draft } = useBuilder();
  const theme = themeOf(draft.appearance);
  if (draft.fields.type !== "widget" || draft.appearance?.widgetType !== "tab") return null;
  const { widgetLabel: label, tabPosition: edge } = draft.appearance;
  return (
    <span
      style={{ backgroundColor: theme.widget, color: theme.widgetText }}
      className={cn("absolute px-2 py-1 text-xs", EDGES[String(edge)] ?? EDGES.right)}
    >
      {typeof label === "string" && label ? label : "Feedback"}
    </span>
  );
}
