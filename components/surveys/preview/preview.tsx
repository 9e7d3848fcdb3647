"use client";

import { ChevronRight, Monitor, RotateCcw, Smartphone } from "lucide-react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useBuilder } from "#components/surveys/editing/builder-context.tsx";
import { PreviewLink } from "#components/surveys/sharing/preview-link.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { Segmented } from "#components/ui/form/segmented.tsx";
import type { Given as GivenFields } from "#lib/surveys/hosted/card/control.ts";
import type { Problem } from "#lib/surveys/hosted/card/texts.ts";
import { boxColours } from "#lib/surveys/hosted/card/theme.ts";
import type { Place } from "./preview-card.ts";
import { ShadowCard } from "./shadow-card.tsx";

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
  return { intro: on && !begun && replay.given.length === 0, setBegun };
}

type Renderer = typeof import("./preview-card.ts");

/** The functions that make cards, with the sanitizer that they need. */
function useRenderer(): Renderer | null {
  const [renderer, setRenderer] = useState<Renderer | null>(null);
  useEffect(() => {
    void import("./preview-card.ts").then((loaded) => setRenderer(() => loaded));
  }, []);
  return renderer;
}

/** The current card, as the hosted page would show it; its form leads on in the preview. */
function CurrentCard({ place, onBegin }: { place: Place; onBegin: () => void }) {
  const { draft, replay, answer } = useBuilder();
  const renderer = useRenderer();
  const [wrong, setWrong] = useState<{ card: string; problem: Problem } | null>(null);
  const { given } = replay;
  const card = `${typeof place === "string" ? place : place.uid} ${given.length}`;
  const problem = wrong?.card === card ? wrong.problem : null;
  const make = useCallback(
    (sent: GivenFields | null) => renderer?.cardIn(draft, place, given.length, sent, problem) ?? null,
    [renderer, draft, place, given, problem],
  );
  const look = useMemo(() => renderer?.lookOf(draft), [renderer, draft]);
  if (!renderer || !look) return <div className="h-72" />;

  function submit(form: URLSearchParams) {
    const read = renderer?.readForm(draft, place, form);
    if (!read) return;
    setWrong("problem" in read ? { card, problem: read.problem } : null);
    if ("step" in read) answer([...given, read.step]);
    else if ("to" in read) {
      if (read.to === "begin") onBegin();
      else answer(read.to === "back" ? given.slice(0, -1) : []);
    }
  }
  const progress = renderer.progressIn(draft, place, given.length);
  return <ShadowCard {...look} progress={progress} card={card} make={make} onSubmit={submit} />;
}

/** The survey as respondents see it; it can be answered and follows the branching. */
export function Preview({ className }: { className?: string }) {
  const { projectId, survey, draft, replay, answer, selected, report } = useBuilder();
  const { standing } = replay;
  const at = draft.questions.findIndex((question) => question.uid === selected);
  const { intro, setBegun } = useIntro();
  const isLost = at >= 0 && !report.reachable.includes(at) && draft.questions.length > 0;
  const place = useMemo((): Place => {
    if (intro) return "intro";
    return standing.at === "question" ? { uid: standing.uid } : "end";
  }, [intro, standing]);
  const isPage = draft.type === "external_survey";
  const [screen, setScreen] = useState<Screen>("phone");
  const isSilent = !isPage && draft.appearance?.displayThankYouMessage === false;
  return (
    <section aria-label="Preview" className={cn("flex min-w-0 flex-col gap-3", className)}>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="font-semibold text-base">Preview</h2>
        {isPage ? (
          <Segmented
            label="Screen of the preview"
            size="sm"
            value={screen}
            onValueChange={setScreen}
            options={[
              { value: "phone", label: "Phone", icon: Smartphone },
              { value: "desktop", label: "Desktop", icon: Monitor },
            ]}
          />
        ) : null}
      </div>
      {isLost ? (
        <p className="text-warning-text text-xs">
          No answers lead to question {at + 1}, so it is never shown.
        </p>
      ) : null}
      <Stage screen={isPage ? screen : null}>
        {draft.questions.length === 0 ? (
          <p className="py-10 text-center text-muted text-sm">No questions yet.</p>
        ) : !intro && standing.at === "stuck" ? (
          <p className="rounded-md border border-danger-line bg-danger-soft px-3 py-2 text-sm">
            Browsers stop here with an error: {standing.message}
          </p>
        ) : place === "end" && isSilent ? (
          <p className="text-center text-muted text-sm">The survey closes without a message.</p>
        ) : (
          <CurrentCard place={place} onBegin={() => setBegun(true)} />
        )}
        <WidgetTab />
      </Stage>
      {survey && isPage && survey.type === "external_survey" ? (
        <p className="text-muted text-xs">
          <PreviewLink
            projectId={projectId}
            surveyId={survey.id}
            className="text-accent-text hover:underline"
          >
            Open the page
          </PreviewLink>{" "}
          as it is saved. Nothing is recorded there.
        </p>
      ) : null}
      <div className="flex items-start justify-between gap-2">
        <PathTaken />
        <Button
          size="sm"
          variant="ghost"
          icon={RotateCcw}
          onClick={() => {
            answer([]);
            setBegun(false);
          }}
        >
          Restart
        </Button>
      </div>
    </section>
  );
}

type Screen = "phone" | "desktop";

/** The width of a small window of a desktop computer, in which a page has all the room that it uses. */
const DESKTOP = 960;

/** A page at the width of a desktop computer's window, made smaller to fit. */
function Reduced({ children }: { children: React.ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  const [zoom, setZoom] = useState(0.5);
  useEffect(() => {
    if (!box.current) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setZoom(Math.min(1, entry.contentRect.width / DESKTOP));
    });
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={box} className="w-full">
      <div style={{ width: DESKTOP, zoom }} className="border bg-surface">
        {children}
      </div>
    </div>
  );
}

/** A sample of the team's page, or the screen on which a page of ours is shown. */
function Stage({ screen, children }: { screen: Screen | null; children: React.ReactNode }) {
  return (
    <div className="relative flex min-h-72 flex-col items-center justify-center overflow-hidden rounded-lg border bg-[radial-gradient(var(--line-strong)_1px,transparent_1px)] bg-sunken px-3 py-6 [background-size:14px_14px]">
      {screen === "desktop" ? (
        <Reduced>{children}</Reduced>
      ) : screen === "phone" ? (
        <div className="w-full max-w-[390px] overflow-hidden rounded-xl border">{children}</div>
      ) : (
        children
      )}
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
  if (draft.type !== "widget" || draft.appearance?.widgetType !== "tab") return null;
  const { widgetLabel: label, tabPosition: edge } = draft.appearance;
  const colours = boxColours(draft.appearance);
  return (
    <span
      style={{ backgroundColor: colours.widget.toHex(), color: colours["on-widget"].toHex() }}
      className={cn("absolute px-2 py-1 text-xs", EDGES[String(edge)] ?? EDGES.right)}
    >
      {typeof label === "string" && label ? label : "Feedback"}
    </span>
  );
}
