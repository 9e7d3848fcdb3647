"use client";

import { Checkbox } from "#components/ui/checkbox.tsx";
import { Field } from "#components/ui/field.tsx";
import { Input } from "#components/ui/input.tsx";
import { useBuilder, useProblem } from "./builder_context.tsx";
import { isObject, type QuestionDraft } from "./draft.ts";
import { lengthsOf } from "./problems.ts";
import { usePut } from "./use_put.ts";
import { wholeOf } from "./whole_input.tsx";

/** How long an open answer may be and, on a page of its own, whether it must be an e-mail address. */
export function LengthField({ question }: { question: QuestionDraft }) {
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
    <Field as="group" label="Length of the answer" optional error={useProblem("validation", question.uid)}>
      <div className="grid max-w-sm grid-cols-2 gap-3">
        <Input
          aria-label="At least so many characters"
          inputMode="numeric"
          placeholder="At least"
          suffix="chars"
          className="[&_input]:pr-12"
          value={lengths.least ?? ""}
          onChange={(event) => set("min_length", event.target.value)}
        />
        <Input
          aria-label="At most so many characters"
          inputMode="numeric"
          placeholder="At most"
          suffix="chars"
          className="[&_input]:pr-12"
          value={lengths.most ?? ""}
          onChange={(event) => set("max_length", event.target.value)}
        />
      </div>
      {draft.fields.type === "external_survey" || asksEmail ? (
        <Checkbox
          className="mt-1"
          label="An e-mail address"
          description="Checked on the survey's own page; browsers' SDKs do not look at it."
          checked={asksEmail}
          onCheckedChange={(on) => setEmail(on === true)}
        />
      ) : null}
    </Field>
  );
}
