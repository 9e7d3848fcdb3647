"use client";

import type { ComponentType } from "react";
import type { QuestionDraft } from "#components/surveys/draft/draft.ts";
import { textOf, useBuilder, useProblem, usePut } from "#components/surveys/editing/builder-context.tsx";
import { wholeOf } from "#components/surveys/editing/whole-input.tsx";
import { later } from "#components/ui/after-page.ts";
import { Checkbox } from "#components/ui/form/checkbox.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { typeOf } from "#lib/engines/branching/answers.ts";
import type { QuestionType } from "#lib/engines/branching/question.ts";
import { isObject } from "#lib/engines/json.ts";
import { lengthsOf } from "#lib/surveys/surveys/questions/question_kinds/open.ts";
import { RatingFields } from "./rating-fields.tsx";

type Props = { question: QuestionDraft };

/** Choices can be dragged, which the page does not wait for. */
const ChoicesField = later<Props>(
  async () => (await import("./choices-field.tsx")).ChoicesField,
  () => <div className="h-44" />,
);

/** How long an open answer may be and, on a hosted page, whether it must be an e-mail address. */
function LengthField({ question }: Props) {
  const { draft } = useBuilder();
  const put = usePut(question.uid);
  const { validation } = question.raw;
  const rules = Array.isArray(validation) ? validation : [];
  const lengths = lengthsOf(validation);
  function set(type: "min_length" | "max_length", text: string) {
    const value = wholeOf(text);
    const others = rules.filter((rule) => !isObject(rule) || rule.type !== type);
    const former = rules.find((rule) => isObject(rule) && rule.type === type);
    const next = value ? [...others, { ...(isObject(former) ? former : {}), type, value }] : others;
    put({ validation: next.length > 0 ? next : undefined });
  }
  const isEmail = (rule: unknown) => isObject(rule) && rule.type === "email";
  const asksEmail = rules.some(isEmail);
  function setEmail(on: boolean) {
    const next = [...rules.filter((rule) => !isEmail(rule)), ...(on ? [{ type: "email" }] : [])];
    put({ validation: next.length > 0 ? next : undefined });
  }
  return (
    <Field as="group" label="Answer length" optional error={useProblem("raw.validation", question.uid)}>
      <div className="grid max-w-sm grid-cols-2 gap-3">
        <Input
          aria-label="Minimum characters"
          inputMode="numeric"
          placeholder="At least"
          suffix="characters"
          className="[&_input]:pr-20"
          value={lengths.least ?? ""}
          onChange={(event) => set("min_length", event.target.value)}
        />
        <Input
          aria-label="Maximum characters"
          inputMode="numeric"
          placeholder="At most"
          suffix="characters"
          className="[&_input]:pr-20"
          value={lengths.most ?? ""}
          onChange={(event) => set("max_length", event.target.value)}
        />
      </div>
      {draft.type === "external_survey" || asksEmail ? (
        <Checkbox
          className="mt-1"
          label="An e-mail address"
          description="Checked on hosted pages only, not by browser SDKs."
          checked={asksEmail}
          onCheckedChange={(on) => setEmail(on === true)}
        />
      ) : null}
    </Field>
  );
}

function LinkField({ question }: Props) {
  const put = usePut(question.uid);
  return (
    <Field
      label="Link"
      required
      error={useProblem("raw.link", question.uid)}
      description="Opens when the button is pressed: an https address, or mailto: and an e-mail address."
    >
      <Input
        mono
        inputMode="url"
        placeholder="https://example.com/changelog"
        value={textOf(question.raw.link)}
        onChange={(event) => put({ link: event.target.value })}
      />
    </Field>
  );
}

/** The fields that only questions of a kind have. */
const FIELDS = {
  open: LengthField,
  rating: RatingFields,
  single_choice: ChoicesField,
  multiple_choice: ChoicesField,
  link: LinkField,
} satisfies Record<QuestionType, ComponentType<Props>>;

export function KindFields({ question }: Props) {
  const type = typeOf(question.raw);
  const Fields = type && FIELDS[type];
  return Fields ? <Fields question={question} /> : null;
}
