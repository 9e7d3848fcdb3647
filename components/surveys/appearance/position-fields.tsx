"use client";

import { selectorProblem } from "#components/surveys/draft/place-problems.ts";
import { textOf, useAppearance, useBuilder } from "#components/surveys/editing/builder-context.tsx";
import { cn } from "#components/ui/cn.ts";
import { Checkbox } from "#components/ui/form/checkbox.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { Select } from "#components/ui/form/select.tsx";

const SPOTS = [
  ["top_left", "top_center", "top_right"],
  ["middle_left", "middle_center", "middle_right"],
  ["left", "center", "right"],
] as const;

const BESIDE = "next_to_trigger";

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
  [BESIDE]: "Next to the element that opens it",
};

const WIDGETS = [
  { value: "tab", label: "A tab at the edge of the page" },
  { value: "selector", label: "An element of your own page" },
] as const;

const EDGES = [
  { value: "right", label: "Right" },
  { value: "left", label: "Left" },
  { value: "top", label: "Top" },
  { value: "bottom", label: "Bottom" },
] as const;

/** The position of the survey on the page and, for a widget, what opens it. */
export function PositionFields() {
  const { draft } = useBuilder();
  const { appearance, put } = useAppearance();
  const isWidget = draft.type === "widget";
  const spot = textOf(appearance.position) || "right";
  const canStandBeside = isWidget && appearance.widgetType === "selector";
  return (
    <div className="flex flex-wrap gap-x-8 gap-y-4">
      <div className="flex flex-col gap-2.5">
        <Field as="group" label="On the page" hint={SPOT_WORDS[spot] ?? `Custom: ${spot}`}>
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
        {canStandBeside || spot === BESIDE ? (
          <Checkbox
            label={SPOT_WORDS[BESIDE]}
            checked={spot === BESIDE}
            onCheckedChange={(on) => put({ position: on === true ? BESIDE : undefined })}
          />
        ) : null}
      </div>
      {isWidget ? <WidgetFields /> : null}
    </div>
  );
}

function WidgetFields() {
  const { appearance, put, readOnly } = useAppearance();
  const widget = WIDGETS.find(({ value }) => value === appearance.widgetType)?.value;
  return (
    <div className="flex min-w-56 flex-1 flex-col gap-4">
      <Field
        label="Opened by"
        error={widget ? undefined : "Until you choose, nothing on the page opens the survey."}
      >
        <Select
          disabled={readOnly}
          value={widget}
          options={WIDGETS}
          onValueChange={(next) => put({ widgetType: next })}
        />
      </Field>
      {widget === "tab" ? (
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Tab text">
            <Input
              placeholder="Feedback"
              value={textOf(appearance.widgetLabel)}
              onChange={(event) => put({ widgetLabel: event.target.value || undefined })}
            />
          </Field>
          <Field label="Edge">
            <Select
              disabled={readOnly}
              value={EDGES.find(({ value }) => value === appearance.tabPosition)?.value ?? "right"}
              options={EDGES}
              onValueChange={(next) => put({ tabPosition: next === "right" ? undefined : next })}
            />
          </Field>
        </div>
      ) : null}
      {widget === "selector" ? (
        <Field
          label="CSS selector"
          error={
            textOf(appearance.widgetSelector) === ""
              ? "Enter the selector of the element that opens it."
              : selectorProblem(textOf(appearance.widgetSelector))
          }
        >
          <Input
            mono
            spellCheck={false}
            placeholder="#feedback-button"
            value={textOf(appearance.widgetSelector)}
            onChange={(event) => put({ widgetSelector: event.target.value || undefined })}
          />
        </Field>
      ) : null}
    </div>
  );
}
