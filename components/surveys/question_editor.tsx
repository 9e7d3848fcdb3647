"use client";

import { useState } from "react";
import { Card } from "#components/ui/card.tsx";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { Field } from "#components/ui/field.tsx";
import { Input } from "#components/ui/input.tsx";
import { Segmented } from "#components/ui/segmented.tsx";
import { Select } from "#components/ui/select.tsx";
import { Textarea } from "#components/ui/textarea.tsx";
import { BranchingField } from "./branching_field.tsx";
import { useBuilder, useProblem } from "./builder_context.tsx";
import { MeaningNotice } from "./choice_edit_notice.tsx";
import { ChoicesField } from "./choices_field.tsx";
import type { QuestionDraft } from "./draft.ts";
import { setKind } from "./edit_draft.ts";
import { KINDS, KindIcon, kindWord } from "./kinds.tsx";
import { LengthField } from "./length_field.tsx";
import { RatingFields } from "./rating_fields.tsx";
import { textOf, usePut } from "./use_put.ts";

/** The chosen question with everything that can be said about it. */
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
      <Card title="Where answers lead" description="Answers follow their question wherever it is moved.">
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
      label="Kind of question"
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
              ? "Formatting, lists, links and pictures are kept; scripts and forms are taken out."
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
                // Browsers take what says nothing of its kind for HTML.
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
        label="May be skipped"
        description="The button works without an answer."
        checked={raw.optional === true}
        onCheckedChange={(next) => put({ optional: next === true })}
      />
      {quick ? (
        <Checkbox
          label="Go on as soon as an answer is chosen"
          description="Without a button to press."
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
