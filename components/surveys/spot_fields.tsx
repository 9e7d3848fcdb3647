"use client";

import { Checkbox } from "#components/ui/checkbox.tsx";
import { cn } from "#components/ui/cn.ts";
import { Field } from "#components/ui/field.tsx";
import { Input } from "#components/ui/input.tsx";
import { Select } from "#components/ui/select.tsx";
import { useBuilder } from "./builder_context.tsx";
import { selectorProblem } from "./place_problems.ts";
import { useAppearance } from "./use_appearance.ts";
import { textOf } from "./use_put.ts";

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
  [BESIDE]: "Beside the element that opens it",
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

/** Where the survey stands on somebody's page and, of a widget, what opens it. */
export function SpotFields() {
  const { draft } = useBuilder();
  const { appearance, put } = useAppearance();
  const isWidget = draft.fields.type === "widget";
  const spot = textOf(appearance.position) || "right";
  const canStandBeside = isWidget && appearance.widgetType === "selector";
  return (
    <div className="flex flex-wrap gap-x-8 gap-y-4">
      <div className="flex flex-col gap-2.5">
        <Field as="group" label="On the page" hint={SPOT_WORDS[spot] ?? `As written: ${spot}`}>
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
        error={widget ? undefined : "Browsers show nothing that opens it before this is chosen."}
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
          <Field label="Words on the tab">
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
          label="Its CSS selector"
          error={
            textOf(appearance.widgetSelector) === ""
              ? "Say which element opens it."
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
