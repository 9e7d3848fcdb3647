"use client";

import { useState } from "react";
import type { QuestionDraft } from "#components/surveys/draft/draft.ts";
import { setKind } from "#components/surveys/draft/edit-draft.ts";
import { KINDS, KindIcon, kindWord } from "#components/surveys/draft/kinds.tsx";
import { lengthsOf } from "#components/surveys/draft/problems.ts";
import { useBuilder, useProblem } from "#components/surveys/editing/builder-context.tsx";
import { textOf, usePut } from "#components/surveys/editing/use-put.ts";
import { wholeOf } from "#components/surveys/editing/whole-input.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { Checkbox } from "#components/ui/form/checkbox.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { Segmented } from "#components/ui/form/segmented.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { Textarea } from "#components/ui/form/textarea.tsx";
import { isObject } from "#lib/engines/json.ts";
import { BranchingField } from "./branching-field.tsx";
import { MeaningNotice } from "./choice-edit-notice.tsx";
import { ChoicesField } from "./choices-field.tsx";
import { RatingFields } from "./rating-fields.tsx";

/** How long an open answer may be and, on a hosted page, whether it must be an e-mail address. */
function LengthField({ question }: { question: QuestionDraft }) {
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
    <Field as="group" label="Answer length" optional error={useProblem("validation", question.uid)}>
      <div className="grid max-w-sm grid-cols-2 gap-3">
        <Input
          aria-label="Minimum characters"
          inputMode="numeric"
          placeholder="At least"
          suffix="chars"
          className="[&_input]:pr-12"
          value={lengths.least ?? ""}
          onChange={(event) => set("min_length", event.target.value)}
        />
        <Input
          aria-label="Maximum characters"
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
          description="Checked on hosted pages only, not by browser SDKs."
          checked={asksEmail}
          onCheckedChange={(on) => setEmail(on === true)}
        />
      ) : null}
    </Field>
  );
}

/** The editor of the selected question. */
export function QuestionEditor() {
  const { draft, selected, readOnly } = useBuilder();
  const place = draft.questions.findIndex((question) => question.uid === selected);
  const question = draft.questions[place];
  if (!question) return null;
  return (
    <fieldset
      key={question.uid}
      disabled={readOnly}
      aria-label={`Question ${place + 1}`}
      className="flex min-w-0 flex-col gap-4"
    >
      <Card title={`Question ${place + 1}`} actions={<KindSelect question={question} />}>
        <div className="flex flex-col gap-4">
          <MeaningNotice question={question} />
          <Words question={question} />
          <KindFields question={question} />
        </div>
      </Card>
      <Card title="Where answers lead" description="Answers keep leading to the same question when it moves.">
        <BranchingField question={question} />
      </Card>
      <Card title="Answering">
        <Answering question={question} />
      </Card>
    </fieldset>
  );
}

type Props = { question: QuestionDraft };

function KindSelect({ question }: Props) {
  const { changeQuestions, readOnly } = useBuilder();
  const { type } = question.raw;
  const known = KINDS.some((kind) => kind.value === type);
  const options = KINDS.map((kind) => ({
    value: kind.value as string,
    label: kindWord(kind.value),
    description: kind.text,
    icon: <KindIcon type={kind.value} className="size-3.5 text-faint" />,
  }));
  return (
    <Select
      label="Question type"
      look="button"
      size="sm"
      disabled={readOnly}
      value={String(type ?? "")}
      options={known ? options : [...options, { value: String(type ?? ""), label: kindWord(type) }]}
      onValueChange={(kind) => changeQuestions((each) => setKind(each, question.uid, kind))}
    />
  );
}

function Words({ question }: Props) {
  const { readOnly } = useBuilder();
  const put = usePut(question.uid);
  const { raw, uid } = question;
  const html = raw.descriptionContentType === "html";
  const descriptionProblem = useProblem("description", uid);
  const [described, setDescribed] = useState(textOf(raw.description) !== "");
  return (
    <>
      <Field label="Question" required error={useProblem("question", uid)}>
        <Textarea
          rows={2}
          readOnly={readOnly}
          placeholder="What do you want to know?"
          value={raw.question}
          onChange={(event) => put({ question: event.target.value })}
        />
      </Field>
      {described || readOnly ? (
        <Field
          label="Description"
          optional
          error={descriptionProblem}
          hint={
            html
              ? "Formatting, lists, links and pictures are kept; scripts and forms are removed."
              : undefined
          }
          aside={
            <Segmented
              label="Description is"
              size="sm"
              value={html ? "html" : "text"}
              options={[
                { value: "text", label: "Text" },
                { value: "html", label: "HTML" },
              ]}
              onValueChange={(kind) => !readOnly && put({ descriptionContentType: kind })}
            />
          }
        >
          <Textarea
            rows={2}
            mono={html}
            readOnly={readOnly}
            value={textOf(raw.description)}
            onChange={(event) =>
              put({
                description: event.target.value || undefined,
                // Browsers treat a text without a content type as HTML.
                ...(!raw.descriptionContentType && { descriptionContentType: "text" }),
              })
            }
          />
        </Field>
      ) : (
        <button
          type="button"
          className="w-fit rounded-xs text-accent-text text-xs hover:underline"
          onClick={() => setDescribed(true)}
        >
          Add a description
        </button>
      )}
    </>
  );
}

function KindFields({ question }: Props) {
  const put = usePut(question.uid);
  const problem = useProblem("link", question.uid);
  const { raw } = question;
  if (raw.type === "rating") return <RatingFields question={question} />;
  if (raw.type === "single_choice" || raw.type === "multiple_choice")
    return <ChoicesField question={question} />;
  if (raw.type === "open") return <LengthField question={question} />;
  if (raw.type !== "link") return null;
  return (
    <Field
      label="Link"
      required
      error={problem}
      description="Opens when the button is pressed: an https address, or mailto: and an e-mail address."
    >
      <Input
        mono
        inputMode="url"
        placeholder="https://example.com/changelog"
        value={textOf(raw.link)}
        onChange={(event) => put({ link: event.target.value })}
      />
    </Field>
  );
}

function Answering({ question }: Props) {
  const put = usePut(question.uid);
  const { raw } = question;
  const quick = raw.type === "rating" || (raw.type === "single_choice" && raw.hasOpenChoice !== true);
  return (
    <div className="flex flex-col gap-3">
      <Checkbox
        label="Optional"
        description="People can continue without an answer."
        checked={raw.optional === true}
        onCheckedChange={(next) => put({ optional: next === true })}
      />
      {quick ? (
        <Checkbox
          label="Continue as soon as an answer is chosen"
          description="No button needed."
          checked={raw.skipSubmitButton === true}
          onCheckedChange={(next) => put({ skipSubmitButton: next === true ? true : undefined })}
        />
      ) : null}
      <Field label="Button" optional className="max-w-64" error={useProblem("buttonText", question.uid)}>
        <Input
          placeholder="Submit"
          value={textOf(raw.buttonText)}
          onChange={(event) => put({ buttonText: event.target.value || undefined })}
        />
      </Field>
    </div>
  );
}
