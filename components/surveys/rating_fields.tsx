"use client";

import { Field } from "#components/ui/field.tsx";
import { Input } from "#components/ui/input.tsx";
import { Segmented } from "#components/ui/segmented.tsx";
import { Select } from "#components/ui/select.tsx";
import { useBuilder } from "./builder_context.tsx";
import type { QuestionDraft } from "./draft.ts";
import { setScale } from "./edit_draft.ts";
import { textOf, usePut } from "./use_put.ts";

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

/** How a rating is shown and how far it goes. */
export function RatingFields({ question }: { question: QuestionDraft }) {
  const { changeQuestions, readOnly } = useBuilder();
  const put = usePut(question.uid);
  const { raw, uid } = question;
  const display: Display = raw.display === "emoji" ? "emoji" : "number";
  const scale = String(raw.scale ?? "");
  const known = SCALES[display].some((each) => each.value === scale);
  const options: { value: string; label: string }[] = [...SCALES[display]];
  if (!known) options.push({ value: scale, label: `${scale || "none"} (not shown well by browsers)` });

  function show(next: Display) {
    if (readOnly) return;
    put({ display: next });
    // A scale that the other look has not: the nearest that it has.
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
          <Field label="Lowest means" optional>
            <Input
              placeholder="Not likely"
              value={textOf(raw.lowerBoundLabel)}
              onChange={(event) => put({ lowerBoundLabel: event.target.value })}
            />
          </Field>
          <Field label="Highest means" optional>
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
