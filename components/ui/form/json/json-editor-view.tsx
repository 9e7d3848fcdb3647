"use client";

import { forceLinting } from "@codemirror/lint";
import { Compartment, EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { useEffect, useRef } from "react";
import { cn } from "#components/ui/cn.ts";
import { jsonExtensions, refreshProblems } from "./json-extensions.ts";
import type { JsonComplete, JsonProblem } from "./json-positions.ts";

export type JsonEditorProps = {
  /** The text as typed; it need not be valid. */
  value: string;
  onValueChange?: (value: string) => void;
  /** Problems beyond the syntax (which the editor finds itself), placed by offset, line, or path in the document. */
  problems?: readonly JsonProblem[];
  /** Names it when no `Field` does. */
  label?: string;
  readOnly?: boolean;
  /** Lines shown when it is empty; it grows with its text to about 30. */
  minLines?: number;
  /** What is allowed at a place, for completion while typing. */
  complete?: JsonComplete;
  placeholder?: string;
  /** Grows with its text however long that is: for a page that is about nothing else. */
  grow?: boolean;
  className?: string;
};

type ViewProps = Omit<JsonEditorProps, "label" | "className"> & {
  attributes: Record<string, string | undefined>;
};

const defined = (attributes: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(attributes).flatMap(([name, value]) => (value ? [[name, value]] : [])));

/**
 * When text is typed over, Chromium can leave its colours on the line, such as those of a highlighted bracket. The editor
 * itself uses only classes and does not notice, so the colours would stay when the theme changes.
 */
function removeLeftoverColors(editor: EditorView): void {
  for (const line of editor.contentDOM.querySelectorAll(".cm-line[style]")) line.removeAttribute("style");
}

/** CodeMirror, synchronized with React's props. */
export function JsonEditorView(props: ViewProps) {
  const { value, problems, readOnly = false, attributes } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const changing = useRef({ attributes: new Compartment(), readOnly: new Compartment() });
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });

  useEffect(() => {
    if (!host.current) return;
    const { attributes, readOnly } = changing.current;
    const first = latest.current;
    const editor = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: first.value,
        extensions: [
          jsonExtensions({
            problems: () => latest.current.problems ?? [],
            complete: (path, kind) => latest.current.complete?.(path, kind) ?? [],
            placeholder: first.placeholder,
            minLines: first.minLines ?? 4,
          }),
          attributes.of(EditorView.contentAttributes.of(defined(first.attributes))),
          readOnly.of(EditorState.readOnly.of(first.readOnly ?? false)),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged) return;
            removeLeftoverColors(update.view);
            latest.current.onValueChange?.(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, []);

  useEffect(() => {
    const editor = view.current;
    const shown = editor?.state.doc.toString();
    if (!editor || shown === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);

  const names = JSON.stringify(attributes);
  useEffect(() => {
    const { attributes, readOnly: locked } = changing.current;
    view.current?.dispatch({
      effects: [
        attributes.reconfigure(EditorView.contentAttributes.of(JSON.parse(names))),
        locked.reconfigure(EditorState.readOnly.of(readOnly)),
      ],
    });
  }, [names, readOnly]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the linter reads the problems through `latest`
  useEffect(() => {
    if (!view.current) return;
    view.current.dispatch({ effects: refreshProblems.of(null) });
    forceLinting(view.current);
  }, [problems]);

  return (
    <div ref={host} className={cn("overflow-auto scroll-thin", props.grow ? undefined : "max-h-[38rem]")} />
  );
}
