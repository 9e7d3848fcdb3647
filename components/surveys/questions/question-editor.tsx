"use client";

import { useState } from "react";
import type { QuestionDraft } from "#components/surveys/draft/draft.ts";
import { setKind } from "#components/surveys/draft/edit-draft.ts";
import { textOf, useBuilder, useProblem, usePut } from "#components/surveys/editing/builder-context.tsx";
import { KIND_OPTIONS } from "#components/surveys/question-kinds.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { Checkbox } from "#components/ui/form/checkbox.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { Segmented } from "#components/ui/form/segmented.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { Textarea } from "#components/ui/form/textarea.tsx";
import { typeOf } from "#lib/engines/branching/answers.ts";
import type { QuestionType } from "#lib/engines/branching/question.ts";
import { kindName, kindOf } from "#lib/surveys/surveys/questions/question_kinds/kinds.ts";
import { BranchingField } from "./branching-field.tsx";
import { MeaningNotice } from "./choice-edit-notice.tsx";
import { KindFields } from "./kind-fields.tsx";

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
  const type = typeOf(question.raw);
  const options = KIND_OPTIONS.map(({ icon: Icon, ...option }) => ({
    ...option,
    icon: <Icon aria-hidden="true" className="size-3.5 text-faint" />,
  }));
  const unknown = { value: "" as const, label: kindName(question.raw.type) };
  return (
    <Select<QuestionType | "">
      label="Question type"
      look="button"
      size="sm"
      disabled={readOnly}
      value={type ?? unknown.value}
      options={type === null ? [...options, unknown] : options}
      onValueChange={(kind) => kind !== "" && changeQuestions((each) => setKind(each, question.uid, kind))}
    />
  );
}

function Words({ question }: Props) {
  const { added, readOnly } = useBuilder();
  const put = usePut(question.uid);
  const { raw, uid } = question;
  const html = raw.descriptionContentType === "html";
  const descriptionProblem = useProblem("raw.description", uid);
  const [described, setDescribed] = useState(textOf(raw.description) !== "");
  return (
    <>
      <Field label="Question" required error={useProblem("raw.question", uid)}>
        <Textarea
          rows={2}
          readOnly={readOnly}
          autoFocus={added === uid}
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

function Answering({ question }: Props) {
  const put = usePut(question.uid);
  const { raw } = question;
  return (
    <div className="flex flex-col gap-3">
      <Checkbox
        label="Optional"
        description="People can continue without an answer."
        checked={raw.optional === true}
        onCheckedChange={(next) => put({ optional: next === true })}
      />
      {kindOf(raw).canBeInstant(raw) ? (
        <Checkbox
          label="Continue as soon as an answer is chosen"
          description="No button needed."
          checked={raw.skipSubmitButton === true}
          onCheckedChange={(next) => put({ skipSubmitButton: next === true ? true : undefined })}
        />
      ) : null}
      <Field label="Button" optional className="max-w-64" error={useProblem("raw.buttonText", question.uid)}>
        <Input
          placeholder="Submit"
          value={textOf(raw.buttonText)}
          onChange={(event) => put({ buttonText: event.target.value || undefined })}
        />
      </Field>
    </div>
  );
}
