"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { type History, historyOf, record, redone, undone } from "#components/surveys/draft/history.ts";
import { useShortcut } from "#components/ui/overlay/shortcuts.tsx";

/** These have an undo of their own, or are not part of the form. */
const ELSEWHERE =
  ".cm-editor, [role=combobox], [type=search], [role=alertdialog], [role=dialog] :is(input, textarea)";

const accepts = (target: EventTarget | null) =>
  !(target instanceof Element && target.closest(ELSEWHERE) !== null);

export type Undo = {
  /** Null if there is nothing to undo. */
  back: (() => void) | null;
  forward: (() => void) | null;
  /** How often either was done. */
  times: number;
};

/**
 * Undo and redo of all changes to a form since its last save, texts included, by buttons and keys.
 *
 * @param put shows a state in the form
 */
export function useUndo<T>(present: T, put: (state: T, instead: T) => void) {
  const [history, setHistory] = useState(() => historyOf(present));
  const latest = useRef(history);
  const [times, setTimes] = useState(0);
  const show = useCallback((next: History<T>) => {
    latest.current = next;
    setHistory(next);
  }, []);
  useEffect(() => {
    // What undo and redo put back is no change.
    const next = record(latest.current, present, Date.now());
    if (next !== latest.current) show(next);
  }, [present, show]);

  const go = (step: History<T> | null) => () => {
    if (!step) return;
    put(step.present, history.present);
    show(step);
    setTimes(times + 1);
  };
  const [back, forward] = [undone(history), redone(history)];
  const options = { group: "Surveys", accepts };
  useShortcut("mod+z", "Undo", go(back), options);
  useShortcut("mod+shift+z", "Redo", go(forward), options);
  return {
    undo: { back: back && go(back), forward: forward && go(forward), times } satisfies Undo,
    /** Begins again: what was saved cannot be undone step by step. */
    forget: (saved: T) => show(historyOf(saved)),
  };
}
