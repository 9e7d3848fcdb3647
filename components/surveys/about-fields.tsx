"use client";

import { useState } from "react";
import { useController } from "react-hook-form";
import { TYPE_HELP, TYPE_WORDS } from "#components/surveys/draft/status.ts";
import type { SurveyBody, SurveyDraft } from "#components/surveys/draft/survey-draft.ts";
import { useBuilder, useProblem } from "#components/surveys/editing/builder-context.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { Select } from "#components/ui/form/select.tsx";

const TYPES = (Object.keys(TYPE_WORDS) as SurveyBody["type"][]).map((value) => ({
  value,
  label: TYPE_WORDS[value],
  description: TYPE_HELP[value],
}));

/** What the survey is called, for whom in the team, and how it is shown. */
export function AboutFields() {
  const { draft, put, putMembers, readOnly } = useBuilder();
  const name = useController<SurveyDraft, "name">({ name: "name" });
  const description = useController<SurveyDraft, "description">({ name: "description" });
  const [described, setDescribed] = useState(draft.description !== "");
  return (
    <div className="flex flex-col gap-3">
      <div className="grid gap-3 sm:grid-cols-[minmax(0,1fr)_15rem]">
        <Field label="Name" required error={useProblem("name")}>
          <Input
            autoComplete="off"
            maxLength={400}
            readOnly={readOnly}
            placeholder="Checkout pulse"
            {...name.field}
          />
        </Field>
        <Field label="Shown as" error={useProblem("type")}>
          <Select
            disabled={readOnly}
            value={draft.type}
            options={TYPES}
            onValueChange={(type) => {
              put({ type });
              // Browsers show a widget only if it says what opens it.
              if (type === "widget" && !draft.appearance?.widgetType)
                putMembers("appearance", {
                  widgetType: "tab",
                  widgetLabel: draft.appearance?.widgetLabel ?? "Feedback",
                });
            }}
          />
        </Field>
      </div>
      {described ? (
        <Field label="Description" optional hint="For your team; respondents never see it.">
          <Input autoComplete="off" readOnly={readOnly} {...description.field} />
        </Field>
      ) : readOnly ? null : (
        <button
          type="button"
          className="-mt-1 w-fit rounded-xs text-accent-text text-xs hover:underline"
          onClick={() => setDescribed(true)}
        >
          Describe it for your team
        </button>
      )}
    </div>
  );
}
