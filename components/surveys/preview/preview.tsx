"use client";

import { RotateCcw } from "lucide-react";
import { useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { useBuilder } from "../builder_context.tsx";
import { IntroCard } from "./intro_card.tsx";
import { PathTaken } from "./path_taken.tsx";
import { QuestionCard } from "./question_card.tsx";
import { ThanksCard } from "./thanks_card.tsx";
import { themeOf } from "./theme.ts";

/** Whether the page before the first question is shown: until somebody begins, or turns to a question. */
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

/** The survey as respondents get it, ready to be answered; it follows the branching as their browsers do. */
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
          No answers lead to question {place + 1}, so it is never seen.
        </p>
      ) : null}
      <Stage>
        {draft.questions.length === 0 ? (
          <p className="py-10 text-center text-muted text-sm">Nothing is asked yet.</p>
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

/** A piece of somebody's page. */
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
