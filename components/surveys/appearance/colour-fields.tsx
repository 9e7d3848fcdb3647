"use client";

import { CircleCheck, TriangleAlert } from "lucide-react";
import { textOf, useBuilder } from "#components/surveys/editing/builder-context.tsx";
import { cn } from "#components/ui/cn.ts";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { formatNumber } from "#lib/platform/format.ts";
import { boxColours, pageColours, parseColour, READABLE } from "#lib/surveys/hosted/card/theme.ts";
import { contrastsOf } from "./colours.ts";

const COLOURS: { name: string; label: string; part: keyof ReturnType<typeof boxColours> }[] = [
  { name: "backgroundColor", label: "Background", part: "page" },
  { name: "textColor", label: "Question", part: "ink" },
  { name: "textSubtleColor", label: "Description, labels", part: "muted" },
  { name: "borderColor", label: "Border", part: "line" },
  { name: "submitButtonColor", label: "Button", part: "accent" },
  { name: "submitButtonTextColor", label: "Button text", part: "on-accent" },
  { name: "ratingButtonColor", label: "Rating", part: "choice" },
  { name: "ratingButtonActiveColor", label: "Selected rating", part: "chosen" },
  { name: "inputBackground", label: "Answer box", part: "field" },
  { name: "inputTextColor", label: "Answer text", part: "on-field" },
];

const WHITE_PAGE = { backgroundColor: "#ffffff" };

const TAB = { name: "widgetColor", label: "Tab", part: "widget" } as const;

/** The colours of a survey; those of empty fields follow from the others. */
export function ColourFields() {
  const { draft, putMembers } = useBuilder();
  const appearance = draft.appearance ?? {};
  const isPage = draft.type === "external_survey";
  const onPage = isPage ? pageColours(appearance) : null;
  // A page without colours follows the reader's light or dark mode.
  const isStandard = isPage && onPage === null;
  const colours = { ...boxColours(appearance), ...(isPage && (onPage ?? pageColours(WHITE_PAGE))) };
  const hasTab = draft.type === "widget" && draft.appearance?.widgetType === "tab";
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      {(hasTab ? [...COLOURS, TAB] : COLOURS).map(({ name, label, part }) => {
        const text = textOf(draft.appearance?.[name]);
        const wrong = text !== "" && parseColour(text) === null;
        const put = (value: string) => putMembers("appearance", { [name]: value || undefined });
        return (
          <Field key={name} label={label} error={wrong ? "Not a colour that browsers recognise." : undefined}>
            <div className="flex items-center gap-1.5">
              <input
                type="color"
                aria-label={`${label}: colour picker`}
                value={colours[part].toHex().slice(0, 7)}
                onChange={(event) => put(event.target.value)}
                className="h-8 w-9 shrink-0 cursor-pointer rounded-md border border-line-control bg-surface p-1"
              />
              <Input
                mono
                spellCheck={false}
                placeholder={isStandard ? "Standard" : colours[part].toHex()}
                value={text}
                onChange={(event) => put(event.target.value)}
              />
            </div>
          </Field>
        );
      })}
    </div>
  );
}

/** The contrast of each text, as defined by WCAG. */
export function ContrastList() {
  const { draft } = useBuilder();
  const checks = contrastsOf(draft.type, draft.appearance);
  if (!checks)
    return (
      <p className="text-muted text-sm">
        Without colours of its own, the page follows the reader's light or dark mode. Both are readable.
      </p>
    );
  const bad = checks.filter((check) => !check.readable);
  const replaced = checks.filter((check) => check.replaced);
  return (
    <section aria-label="Contrast" className="flex flex-col gap-2">
      <p
        aria-live="polite"
        className={cn(
          "text-sm",
          bad.length + replaced.length > 0 ? "text-warning-text" : "text-success-text",
        )}
      >
        {bad.length > 0
          ? `${bad.length === 1 ? "One text is" : `${bad.length} texts are`} hard to read: WCAG requires ${READABLE} to 1.`
          : replaced.length > 0
            ? `The page replaces ${replaced.length === 1 ? "a text colour" : `${replaced.length} text colours`} with less contrast than ${READABLE} to 1.`
            : "All texts are readable."}
      </p>
      <ul className="grid gap-x-6 gap-y-1 sm:grid-cols-2">
        {checks.map((check) => {
          const fine = check.readable && !check.replaced;
          const Icon = fine ? CircleCheck : TriangleAlert;
          return (
            <li key={check.what} className="flex items-center gap-2 text-xs">
              <Icon
                aria-hidden="true"
                className={cn("size-3.5 shrink-0", fine ? "text-success-text" : "text-warning-text")}
              />
              <span className="min-w-0 flex-1 truncate text-muted">{check.what}</span>
              <span className="tabular font-medium">{formatNumber(check.ratio, 1)} : 1</span>
              {fine ? null : (
                <span className="text-warning-text">{check.readable ? "replaced" : "too low"}</span>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
