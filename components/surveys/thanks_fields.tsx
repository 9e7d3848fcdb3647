"use client";

import { Checkbox } from "#components/ui/checkbox.tsx";
import { Field } from "#components/ui/field.tsx";
import { Input } from "#components/ui/input.tsx";
import { TextKindField } from "./text_kind_field.tsx";
import { useAppearance } from "./use_appearance.ts";
import { textOf } from "./use_put.ts";

/** What people read once they are done. */
export function ThanksFields() {
  const { appearance, put } = useAppearance();
  const shown = appearance.displayThankYouMessage !== false;
  return (
    <div className="flex flex-col gap-4">
      <Checkbox
        label="Say thanks"
        description="Otherwise it just closes."
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
            label="More words"
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
              label="Goes away by itself"
              checked={appearance.autoDisappear === true}
              onCheckedChange={(on) => put({ autoDisappear: on === true ? true : undefined })}
            />
          </div>
        </>
      ) : null}
    </div>
  );
}
