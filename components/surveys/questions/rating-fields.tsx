"use client";

import type { QuestionDraft } from "#components/surveys/draft/draft.ts";
import { setScale } from "#components/surveys/draft/edit-draft.ts";
import { textOf, useBuilder, usePut } from "#components/surveys/editing/builder-context.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { Segmented } from "#components/ui/form/segmented.tsx";
import { Select } from "#components/ui/form/select.tsx";

const SCALES = {
  number: [
    { value: "5", label: "1 to 5" },
    { value: "7", label: "1 to 7" },
    { value: "10", label: "0 to 10, net promoter score" },
  ],
  emoji: [
    { value: "2", label: "Two thumbs" },
    { value: "3", label: "Three faces" },
    { value: "5", label: "Five faces" },
  ],
} as const;

type Display = keyof typeof SCALES;

/** The display and scale of a rating. */
export function RatingFields({ question }: { question: QuestionDraft }) {
  const { changeQuestions, readOnly } = useBuilder();
  const put = usePut(question.uid);
  const { raw, uid } = question;
  const display: Display = raw.display === "emoji" ? "emoji" : "number";
  const scale = String(raw.scale ?? "");
  const known = SCALES[display].some((each) => each.value === scale);
  const options: { value: string; label: string }[] = [...SCALES[display]];
  if (!known) options.push({ value: scale, label: `${scale || "none"} (not supported well by browsers)` });

  function show(next: Display) {
    if (readOnly) return;
    put({ display: next });
    // The other display lacks this scale: use the nearest.
    if (!SCALES[next].some((each) => each.value === scale)) changeQuestions((each) => setScale(each, uid, 5));
  }
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field as="group" label="Shown as">
          <div>
            <Segmented
              label="Shown as"
              value={display}
              options={[
                { value: "number", label: "Numbers" },
                { value: "emoji", label: "Faces" },
              ]}
              onValueChange={show}
            />
          </div>
        </Field>
        <Field label="Scale">
          <Select
            disabled={readOnly}
            value={scale}
            options={options}
            onValueChange={(next) => changeQuestions((each) => setScale(each, uid, Number(next)))}
          />
        </Field>
      </div>
      {scale === "2" ? null : (
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Label of the lowest" optional>
            <Input
              placeholder="Not likely"
              value={textOf(raw.lowerBoundLabel)}
              onChange={(event) => put({ lowerBoundLabel: event.target.value })}
            />
          </Field>
          <Field label="Label of the highest" optional>
            <Input
              placeholder="Very likely"
              value={textOf(raw.upperBoundLabel)}
              onChange={(event) => put({ upperBoundLabel: event.target.value })}
            />
          </Field>
        </div>
      )}
    </>
  );
}
