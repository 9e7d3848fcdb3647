"use client";

import { Checkbox } from "#components/ui/checkbox.tsx";
import { Field } from "#components/ui/field.tsx";
import { Input } from "#components/ui/input.tsx";
import { Segmented } from "#components/ui/segmented.tsx";
import { Textarea } from "#components/ui/textarea.tsx";
import { useBuilder } from "./builder_context.tsx";
import { textOf } from "./use_put.ts";

/** What people read once they are done. */
export function ThanksFields() {
  const { draft, putMembers, readOnly } = useBuilder();
  const appearance = draft.appearance ?? {};
  const put = (members: Record<string, unknown>) => putMembers("appearance", members);
  const shown = appearance.displayThankYouMessage !== false;
  const html = appearance.thankYouMessageDescriptionContentType === "html";
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
          <Field
            label="More words"
            optional
            aside={
              <Segmented
                label="More words are"
                size="sm"
                value={html ? "html" : "text"}
                options={[
                  { value: "text", label: "Text" },
                  { value: "html", label: "HTML" },
                ]}
                onValueChange={(kind) => !readOnly && put({ thankYouMessageDescriptionContentType: kind })}
              />
            }
          >
            <Textarea
              rows={2}
              mono={html}
              value={textOf(appearance.thankYouMessageDescription)}
              onChange={(event) => put({ thankYouMessageDescription: event.target.value || undefined })}
            />
          </Field>
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
