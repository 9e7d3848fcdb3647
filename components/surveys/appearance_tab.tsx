"use client";

import { Check } from "lucide-react";
import { Card } from "#components/ui/card.tsx";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { cn } from "#components/ui/cn.ts";
import { Field, FieldError } from "#components/ui/field.tsx";
import { Input } from "#components/ui/input.tsx";
import { Select } from "#components/ui/select.tsx";
import { useBuilder, useProblem } from "./builder_context.tsx";
import { ColourFields, ContrastList } from "./colour_fields.tsx";
import { PRESETS } from "./preview/theme.ts";
import { ThanksFields } from "./thanks_fields.tsx";
import { textOf } from "./use_put.ts";

/** How the survey looks and where it stands. */
export function AppearanceTab() {
  const { readOnly, draft } = useBuilder();
  const problem = useProblem("appearance");
  const { type } = draft.fields;
  return (
    <fieldset disabled={readOnly} aria-label="Appearance" className="flex min-w-0 flex-col gap-5">
      <FieldError>{problem}</FieldError>
      <Card title="Theme" description="Begin with one, then change any colour.">
        <div className="flex flex-col gap-4">
          <Presets />
          <ColourFields />
          <ContrastList />
        </div>
      </Card>
      {type === "popover" || type === "widget" ? (
        <Card title="Place">
          <PlaceFields />
        </Card>
      ) : null}
      <Card title="Words">
        <Words />
      </Card>
      <Card title="At the end">
        <ThanksFields />
      </Card>
    </fieldset>
  );
}

/** Sets members of the appearance; an empty text takes one out. */
function usePutAppearance() {
  const { putMembers } = useBuilder();
  return (members: Record<string, unknown>) => putMembers("appearance", members);
}

function Presets() {
  const { draft } = useBuilder();
  const put = usePutAppearance();
  return (
    <ul aria-label="Ready themes" className="flex flex-wrap gap-2">
      {PRESETS.map(({ id, name, colours }) => {
        const chosen = Object.entries(colours).every(([key, value]) => draft.appearance?.[key] === value);
        return (
          <li key={id}>
            <button
              type="button"
              aria-pressed={chosen}
              onClick={() => put(colours)}
              className="flex h-9 items-center gap-2 rounded-md border bg-surface pr-2.5 pl-1.5 text-sm shadow-xs hover:bg-hover aria-pressed:border-accent aria-pressed:bg-accent-soft"
            >
              <span
                aria-hidden="true"
                className="grid size-6 place-items-center rounded-sm border"
                style={{ backgroundColor: colours.backgroundColor, borderColor: colours.borderColor }}
              >
                <span
                  className="h-2 w-3.5 rounded-xs"
                  style={{ backgroundColor: colours.submitButtonColor }}
                />
              </span>
              {name}
              {chosen ? <Check aria-hidden="true" className="size-3.5 text-accent-text" /> : null}
            </button>
          </li>
        );
      })}
    </ul>
  );
}

const SPOTS = [
  ["top_left", "top_center", "top_right"],
  ["middle_left", "middle_center", "middle_right"],
  ["left", "center", "right"],
] as const;

const SPOT_WORDS: Record<string, string> = {
  top_left: "Top left",
  top_center: "Top centre",
  top_right: "Top right",
  middle_left: "Middle left",
  middle_center: "Middle",
  middle_right: "Middle right",
  left: "Bottom left",
  center: "Bottom centre",
  right: "Bottom right",
};

const WIDGETS = [
  { value: "tab", label: "A tab at the edge of the page" },
  { value: "selector", label: "An element of your own page" },
] as const;

function PlaceFields() {
  const { draft, readOnly } = useBuilder();
  const put = usePutAppearance();
  const appearance = draft.appearance ?? {};
  const spot = textOf(appearance.position) || "right";
  const widget = textOf(appearance.widgetType) === "selector" ? "selector" : "tab";
  return (
    <div className="flex flex-wrap gap-x-8 gap-y-4">
      <Field as="group" label="On the page" hint={SPOT_WORDS[spot] ?? "Beside what was pressed"}>
        <div className="grid w-36 grid-cols-3 gap-1 rounded-md border bg-sunken p-1.5">
          {SPOTS.flat().map((each) => (
            <button
              key={each}
              type="button"
              aria-label={SPOT_WORDS[each]}
              aria-pressed={spot === each}
              onClick={() => put({ position: each })}
              className={cn(
                "h-7 rounded-sm border bg-surface hover:border-line-control",
                "aria-pressed:border-accent aria-pressed:bg-accent",
              )}
            />
          ))}
        </div>
      </Field>
      {draft.fields.type === "widget" ? (
        <div className="flex min-w-56 flex-1 flex-col gap-4">
          <Field label="Opened by">
            <Select
              disabled={readOnly}
              value={widget}
              options={WIDGETS}
              onValueChange={(next) => put({ widgetType: next })}
            />
          </Field>
          {widget === "tab" ? (
            <Field label="Words on the tab">
              <Input
                placeholder="Feedback"
                value={textOf(appearance.widgetLabel)}
                onChange={(event) => put({ widgetLabel: event.target.value || undefined })}
              />
            </Field>
          ) : (
            <Field label="Its CSS selector">
              <Input
                mono
                placeholder="#feedback-button"
                value={textOf(appearance.widgetSelector)}
                onChange={(event) => put({ widgetSelector: event.target.value || undefined })}
              />
            </Field>
          )}
        </div>
      ) : null}
    </div>
  );
}

function Words() {
  const { draft } = useBuilder();
  const put = usePutAppearance();
  const appearance = draft.appearance ?? {};
  return (
    <div className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Button" optional hint="Where a question has no words of its own.">
          <Input
            placeholder="Submit"
            value={textOf(appearance.submitButtonText)}
            onChange={(event) => put({ submitButtonText: event.target.value || undefined })}
          />
        </Field>
        <Field label="In an empty answer box" optional>
          <Input
            placeholder="Start typing…"
            value={textOf(appearance.placeholder)}
            onChange={(event) => put({ placeholder: event.target.value || undefined })}
          />
        </Field>
      </div>
      <Checkbox
        label="Shuffle the questions"
        description="Each person gets another order. It cannot go together with branching."
        checked={appearance.shuffleQuestions === true}
        onCheckedChange={(on) => put({ shuffleQuestions: on === true ? true : undefined })}
      />
    </div>
  );
}
