"use client";

import { Check } from "lucide-react";
import { Card } from "#components/ui/card.tsx";
import { Field, FieldError } from "#components/ui/field.tsx";
import { Input } from "#components/ui/input.tsx";
import { useBuilder, useProblem } from "./builder_context.tsx";
import { ColourFields, ContrastList } from "./colour_fields.tsx";
import { IntroFields } from "./intro_fields.tsx";
import { KeptNote } from "./kept_note.tsx";
import { LanguagesNote } from "./languages_note.tsx";
import { PRESETS } from "./preview/theme.ts";
import { ShapeFields } from "./shape_fields.tsx";
import { SpotFields } from "./spot_fields.tsx";
import { ThanksFields } from "./thanks_fields.tsx";
import { useAppearance } from "./use_appearance.ts";
import { textOf } from "./use_put.ts";
import { WayFields } from "./way_fields.tsx";

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
      <Card title="Shape">
        <ShapeFields />
      </Card>
      {type === "popover" || type === "widget" ? (
        <Card title="Place">
          <SpotFields />
        </Card>
      ) : null}
      <Card title="At the beginning">
        <IntroFields />
      </Card>
      <Card title="On the way">
        <WayFields />
      </Card>
      <Card title="Words">
        <div className="flex flex-col gap-4">
          <Words />
          <LanguagesNote />
        </div>
      </Card>
      <Card title="At the end">
        <ThanksFields />
      </Card>
      <KeptNote of="appearance" />
    </fieldset>
  );
}

function Presets() {
  const { appearance, put } = useAppearance();
  return (
    <ul aria-label="Ready themes" className="flex flex-wrap gap-2">
      {PRESETS.map(({ id, name, colours }) => {
        const chosen = Object.entries(colours).every(([key, value]) => appearance[key] === value);
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

function Words() {
  const { appearance, put } = useAppearance();
  return (
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
  );
}
