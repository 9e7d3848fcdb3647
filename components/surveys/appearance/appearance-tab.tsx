"use client";

import { Check } from "lucide-react";
import {
  textOf,
  useAppearance,
  useBuilder,
  useProblem,
} from "#components/surveys/editing/builder-context.tsx";
import { LanguagesNote } from "#components/surveys/editing/languages-note.tsx";
import { OtherSettingsNote } from "#components/surveys/editing/other-settings-note.tsx";
import { TextKindField } from "#components/surveys/editing/text-kind-field.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { Checkbox } from "#components/ui/form/checkbox.tsx";
import { Field, FieldError } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { BehaviourFields } from "./behaviour-fields.tsx";
import { ColourFields, ContrastList } from "./colour-fields.tsx";
import { PRESETS } from "./colours.ts";
import { PositionFields } from "./position-fields.tsx";
import { ShapeFields } from "./shape-fields.tsx";

/** What people read once they are done. */
function ThanksFields() {
  const { appearance, put } = useAppearance();
  const shown = appearance.displayThankYouMessage !== false;
  return (
    <div className="flex flex-col gap-4">
      <Checkbox
        label="Show a thank-you message"
        description="Otherwise the survey just closes."
        checked={shown}
        onCheckedChange={(on) => put({ displayThankYouMessage: on === true })}
      />
      {shown ? (
        <>
          <Field label="Headline">
            <Input
              placeholder="Thank you for your feedback!"
              value={textOf(appearance.thankYouMessageHeader)}
              onChange={(event) => put({ thankYouMessageHeader: event.target.value || undefined })}
            />
          </Field>
          <TextKindField
            label="Text"
            name="thankYouMessageDescription"
            kind="thankYouMessageDescriptionContentType"
          />
          <div className="grid items-end gap-4 sm:grid-cols-2">
            <Field label="Button" optional>
              <Input
                placeholder="Close"
                value={textOf(appearance.thankYouMessageCloseButtonText)}
                onChange={(event) => put({ thankYouMessageCloseButtonText: event.target.value || undefined })}
              />
            </Field>
            <Checkbox
              className="pb-1.5"
              label="Close automatically"
              checked={appearance.autoDisappear === true}
              onCheckedChange={(on) => put({ autoDisappear: on === true ? true : undefined })}
            />
          </div>
        </>
      ) : null}
    </div>
  );
}

/** What people read before the first question. */
function IntroFields() {
  const { draft } = useBuilder();
  const { appearance, put } = useAppearance();
  return (
    <div className="flex flex-col gap-4">
      <Checkbox
        label="Show a welcome page"
        description="Before the first question: what it is about and how long it takes."
        checked={appearance.displayIntroScreen === true}
        onCheckedChange={(on) => put({ displayIntroScreen: on === true ? true : undefined })}
      />
      {appearance.displayIntroScreen === true ? (
        <>
          <Field label="Welcome headline">
            <Input
              placeholder={draft.name.trim() || "Two questions about your order"}
              value={textOf(appearance.introScreenHeader)}
              onChange={(event) => put({ introScreenHeader: event.target.value || undefined })}
            />
          </Field>
          <TextKindField
            label="Welcome text"
            name="introScreenDescription"
            kind="introScreenDescriptionContentType"
          />
          <Field label="Start button" optional className="sm:max-w-64">
            <Input
              placeholder="Start"
              value={textOf(appearance.introScreenButtonText)}
              onChange={(event) => put({ introScreenButtonText: event.target.value || undefined })}
            />
          </Field>
        </>
      ) : null}
    </div>
  );
}

/** The look and position of the survey. */
export function AppearanceTab() {
  const { readOnly, draft } = useBuilder();
  const problem = useProblem("appearance");
  const { type } = draft;
  return (
    <fieldset disabled={readOnly} aria-label="Appearance" className="flex min-w-0 flex-col gap-5">
      <FieldError>{problem}</FieldError>
      <Card title="Theme" description="Start with one, then change any colour.">
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
          <PositionFields />
        </Card>
      ) : null}
      <Card title="Introduction">
        <IntroFields />
      </Card>
      <Card title="Behaviour">
        <BehaviourFields />
      </Card>
      <Card title="Default texts">
        <div className="flex flex-col gap-4">
          <Words />
          <LanguagesNote />
        </div>
      </Card>
      <Card title="Thank-you message">
        <ThanksFields />
      </Card>
      <OtherSettingsNote of="appearance" />
    </fieldset>
  );
}

function Presets() {
  const { appearance, put } = useAppearance();
  return (
    <ul aria-label="Theme presets" className="flex flex-wrap gap-2">
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
      <Field label="Button" optional hint="Used where a question has no button text.">
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
