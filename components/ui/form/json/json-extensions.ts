import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json, jsonParseLinter } from "@codemirror/lang-json";
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from "@codemirror/language";
import { type Diagnostic, linter, lintGutter, lintKeymap } from "@codemirror/lint";
import { type EditorState, type Extension, StateEffect } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  placeholder as placeholderText,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { type JsonComplete, type JsonProblem, pathAt, rangeOfPath } from "./json-positions.ts";

/** Tells the linter that the given problems are new. */
export const refreshProblems = StateEffect.define<null>();

type Options = {
  problems: () => readonly JsonProblem[];
  complete: JsonComplete;
  placeholder?: string | undefined;
  minLines: number;
};

/** The CodeMirror setup of our JSON editor. */
export function jsonExtensions({ problems, complete, placeholder, minLines }: Options): Extension {
  return [
    lineNumbers(),
    foldGutter({ openText: "⌄", closedText: "›" }),
    lintGutter(),
    history(),
    drawSelection(),
    highlightActiveLine(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    json(),
    syntaxHighlighting(colors),
    theme,
    EditorView.theme({ ".cm-content, .cm-gutter": { minHeight: `${minLines * 1.25}rem` } }),
    EditorView.lineWrapping,
    autocompletion({ override: [(context) => suggestions(context, complete)] }),
    linter((view) => [...syntaxProblem(view), ...problems().map((each) => placed(view.state, each))], {
      delay: 250,
      needsRefresh: (update) =>
        update.transactions.some((each) => each.effects.some((effect) => effect.is(refreshProblems))),
    }),
    placeholder ? placeholderText(placeholder) : [],
    keymap.of([
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...lintKeymap,
      ...foldKeymap,
      ...historyKeymap,
      ...defaultKeymap,
    ]),
  ];
}

const parseProblem = jsonParseLinter();

function syntaxProblem(view: EditorView): Diagnostic[] {
  return view.state.doc.toString().trim() === "" ? [] : parseProblem(view);
}

function placed(state: EditorState, problem: JsonProblem): Diagnostic {
  const { message, severity = "error" } = problem;
  const within = (offset: number) => Math.min(Math.max(0, offset), state.doc.length);
  if (problem.from !== undefined) {
    const from = within(problem.from);
    return { message, severity, from, to: Math.max(from, within(problem.to ?? from + 1)) };
  }
  if (problem.path) return { message, severity, ...rangeOfPath(state, problem.path) };
  const line = state.doc.line(Math.min(Math.max(1, problem.line ?? 1), state.doc.lines));
  return { message, severity, from: line.from, to: line.to };
}

function suggestions(context: CompletionContext, complete: JsonComplete): CompletionResult | null {
  const word = context.matchBefore(/"?[\w$-]*/);
  if (!word || (word.from === word.to && !context.explicit)) return null;
  const place = pathAt(context.state, context.pos);
  if (!place) return null;
  const found = complete(place.path, place.kind);
  if (found.length === 0) return null;
  const closed = context.state.sliceDoc(context.pos, context.pos + 1) === '"';
  return {
    from: word.from,
    to: closed && word.text.startsWith('"') ? context.pos + 1 : context.pos,
    options: found.map(({ label, detail, info }) => ({
      label: place.kind === "key" ? JSON.stringify(label) : label,
      displayLabel: label,
      ...(place.kind === "key" ? { apply: `${JSON.stringify(label)}: ` } : {}),
      ...(detail ? { detail } : {}),
      ...(info ? { info } : {}),
    })),
    validFor: /^"?[\w$-]*$/,
  };
}

const colors = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--accent-text)" },
  { tag: tags.string, color: "var(--success-text)" },
  { tag: tags.number, color: "var(--warning-text)" },
  { tag: [tags.bool, tags.null], color: "var(--info-text)", fontWeight: "500" },
  { tag: [tags.separator, tags.brace, tags.squareBracket], color: "var(--muted)" },
  { tag: tags.invalid, color: "var(--danger-text)" },
]);

const theme = EditorView.theme({
  "&": { backgroundColor: "transparent", color: "var(--ink)", fontSize: "0.75rem" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "1.25rem" },
  ".cm-content": { padding: "0.5rem 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 0.75rem 0 0.25rem" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--faint)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "2rem", padding: "0 0.25rem 0 0.5rem" },
  ".cm-gutter-lint": { width: "1rem" },
  ".cm-gutter-lint .cm-gutterElement": { padding: "0 0 0 0.25rem" },
  ".cm-foldGutter .cm-gutterElement": { color: "var(--faint)", cursor: "pointer" },
  ".cm-activeLine": { backgroundColor: "color-mix(in oklch, var(--hover) 60%, transparent)" },
  ".cm-activeLineGutter": { backgroundColor: "transparent", color: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "color-mix(in oklch, var(--accent) 24%, transparent)",
  },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": {
    backgroundColor: "var(--accent-soft)",
    outline: "1px solid var(--accent-line)",
  },
  ".cm-placeholder": { color: "var(--faint)" },
  ".cm-tooltip": {
    backgroundColor: "var(--raised)",
    color: "var(--ink)",
    border: "1px solid var(--line-strong)",
    borderRadius: "6px",
    fontFamily: "var(--font-sans)",
    fontSize: "0.75rem",
    overflow: "hidden",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "0.25rem 0.5rem" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--hover)",
    color: "var(--ink)",
  },
  ".cm-completionDetail": { color: "var(--faint)", fontStyle: "normal" },
  ".cm-diagnostic": { padding: "0.375rem 0.625rem" },
  ".cm-diagnostic-error": { borderLeft: "3px solid var(--danger)" },
  ".cm-diagnostic-warning": { borderLeft: "3px solid var(--warning)" },
  ".cm-diagnostic-info": { borderLeft: "3px solid var(--info)" },
});
