"use client";

import { Checkbox } from "#components/ui/checkbox.tsx";
import { Field } from "#components/ui/field.tsx";
import { Input } from "#components/ui/input.tsx";
import { useBuilder } from "./builder_context.tsx";
import { TextKindField } from "./text_kind_field.tsx";
import { useAppearance } from "./use_appearance.ts";
import { textOf } from "./use_put.ts";

/** What people read before the first question. */
export function IntroFields() {
  const { draft } = useBuilder();
  const { appearance, put } = useAppearance();
  return (
    <div className="flex flex-col gap-4">
      <Checkbox
        label="Welcome people"
        description="A page before the first question: what it is about, how long it takes."
        checked={appearance.displayIntroScreen === true}
        onCheckedChange={(on) => put({ displayIntroScreen: on === true ? true : undefined })}
      />
      {appearance.displayIntroScreen === true ? (
        <>
          <Field label="Welcome headline">
            <Input
              placeholder={draft.fields.name.trim() || "Two questions about your order"}
              value={textOf(appearance.introScreenHeader)}
              onChange={(event) => put({ introScreenHeader: event.target.value || undefined })}
            />
          </Field>
          <TextKindField
            label="Welcome words"
            name="introScreenDescription"
            kind="introScreenDescriptionContentType"
          />
          <Field label="Button that begins" optional className="sm:max-w-64">
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
