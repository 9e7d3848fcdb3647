"use client";

import { textOf, useAppearance, useBuilder } from "#components/surveys/editing/builder-context.tsx";
import { Combobox } from "#components/ui/form/combobox.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { Select } from "#components/ui/form/select.tsx";

type Choice = { value: string; label: string };

const AS_IT_IS = "";

const CORNERS: Choice[] = [
  { value: "0px", label: "Square" },
  { value: "4px", label: "Slightly round" },
  { value: AS_IT_IS, label: "Round" },
  { value: "20px", label: "Very round" },
];
const WIDTHS: Choice[] = [
  { value: "260px", label: "Narrow" },
  { value: AS_IT_IS, label: "Normal" },
  { value: "400px", label: "Wide" },
  { value: "500px", label: "Very wide" },
];
const SPACES: Choice[] = [
  { value: "12px 16px", label: "Tight" },
  { value: AS_IT_IS, label: "Normal" },
  { value: "28px 32px", label: "Roomy" },
];
const SHADOWS: Choice[] = [
  { value: "none", label: "None" },
  { value: AS_IT_IS, label: "Soft" },
  { value: "0 12px 32px rgba(0, 0, 0, 0.3)", label: "Strong" },
];
const SYSTEM = "system";
const FONTS: Choice[] = [
  { value: SYSTEM, label: "System font" },
  { value: "inherit", label: "The page's font" },
  ...["Arial", "Georgia", "Verdana", "Trebuchet MS", "Courier New"].map((font) => ({
    value: font,
    label: font,
  })),
];

/** The box of the survey: font, corners, width, padding, shadow. */
export function ShapeFields() {
  const { draft } = useBuilder();
  const isPage = draft.type === "external_survey";
  return (
    <div className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <FontField />
        <StyleField label="Corners" name="borderRadius" choices={CORNERS} />
        {isPage ? null : (
          <>
            <StyleField label="Width" name="maxWidth" choices={WIDTHS} />
            <StyleField label="Padding" name="boxPadding" choices={SPACES} />
            <StyleField label="Shadow" name="boxShadow" choices={SHADOWS} />
          </>
        )}
      </div>
      {isPage ? null : <FineFields />}
    </div>
  );
}

function FontField() {
  const { appearance, put, readOnly } = useAppearance();
  return (
    <Field label="Font">
      <Combobox
        value={textOf(appearance.fontFamily) || SYSTEM}
        options={FONTS}
        freeText="Use the font"
        disabled={readOnly}
        onValueChange={(font) => put({ fontFamily: font === SYSTEM ? undefined : font })}
      />
    </Field>
  );
}

/** A select of CSS values; a custom value stays as an option. */
function StyleField({ label, name, choices }: { label: string; name: string; choices: Choice[] }) {
  const { appearance, put, readOnly } = useAppearance();
  const value = textOf(appearance[name]);
  const known = choices.some((choice) => choice.value === value);
  return (
    <Field label={label}>
      <Select
        disabled={readOnly}
        value={value}
        options={known ? choices : [...choices, { value, label: `${value} (custom)` }]}
        onValueChange={(next) => put({ [name]: next || undefined })}
      />
    </Field>
  );
}

const isLayer = (text: string) => text === "" || /^-?\d{1,10}$/.test(text);
const isShare = (text: string) => text === "" || (/^(0|1|0?\.\d+|1\.0+)$/.test(text) && Number(text) <= 1);

/** Settings for developers. */
function FineFields() {
  const { appearance, put } = useAppearance();
  const layer = textOf(appearance.zIndex);
  const dimmed = textOf(appearance.disabledButtonOpacity);
  return (
    <details className="group text-sm" open={layer !== "" || dimmed !== "" || undefined}>
      <summary className="w-fit cursor-pointer rounded-xs text-accent-text text-xs hover:underline">
        For developers
      </summary>
      <div className="mt-3 grid gap-4 sm:grid-cols-2">
        <Field
          label="Layer"
          optional
          hint="The z-index. Leave empty to stay above everything."
          error={isLayer(layer) ? undefined : "Enter a whole number."}
        >
          <Input
            mono
            inputMode="numeric"
            placeholder="2147482647"
            value={layer}
            onChange={(event) => put({ zIndex: event.target.value.trim() || undefined })}
          />
        </Field>
        <Field
          label="Opacity of the disabled button"
          optional
          hint="From 0 (invisible) to 1 (opaque)."
          error={isShare(dimmed) ? undefined : "Enter a number from 0 to 1."}
        >
          <Input
            mono
            inputMode="decimal"
            placeholder="0.6"
            value={dimmed}
            onChange={(event) => put({ disabledButtonOpacity: event.target.value.trim() || undefined })}
          />
        </Field>
      </div>
    </details>
  );
}
