"use client";

import { patternOf, suggestKeys } from "#components/kit/editor/json.ts";
import { JsonView } from "#components/kit/editor/json-view.tsx";
import { draftOfJson, jsonOf, membersLeftOut } from "#components/surveys/draft/json-draft.ts";
import type { SurveyDraft } from "#components/surveys/draft/survey-draft.ts";
import { useBuilder } from "#components/surveys/editing/builder-context.tsx";
import type { JsonComplete, JsonSuggestion } from "#components/ui/form/json/json-positions.ts";
import { question } from "#lib/surveys/surveys/questions/questions-schema.ts";
import { surveyUpdate } from "#lib/surveys/surveys/schema.ts";

/** Not editable here: set by buttons, or computed. */
const ELSEWHERE =
  /^(start_date|archived|current_iteration|iteration_start_dates|response_sampling_daily_limits|remove_targeting_flag|targeting_flag_id|_create)/;

const KEYS: Record<string, JsonSuggestion[]> = {
  "": suggestKeys(surveyUpdate.shape).filter(({ label }) => !ELSEWHERE.test(label)),
  "questions/*": suggestKeys(question.shape),
};

const complete: JsonComplete = (path, kind) => (kind === "key" ? (KEYS[patternOf(path)] ?? []) : []);

/** The whole survey as the API accepts it. The builder preserves everything written here. */
export function JsonTab() {
  const { draft, put, problems, undo, json, readOnly } = useBuilder();
  const [first] = problems;
  return (
    <JsonView
      key={`${undo.times} ${json.begun}`}
      label="Survey as JSON"
      description="As the API accepts it. Invalid JSON is not applied. Fields that the builder does not know in questions, conditions and appearance are kept."
      initial={() => jsonOf(draft)}
      onText={(text) => {
        const read = draftOfJson(text, draft);
        if (read.draft) put(read.draft);
        return read.problem;
      }}
      onReadable={json.report}
      problem={
        first ? { ...first, path: first.path[0] === "questions" ? first.path.slice(0, 2) : first.path } : null
      }
      hint={(text) => describeLeftOut(text, draft)}
      readOnly={readOnly}
      minLines={20}
      grow
      complete={complete}
    />
  );
}

function describeLeftOut(text: string, draft: SurveyDraft) {
  const leftOut = membersLeftOut(text, draft);
  return leftOut.length === 0 ? undefined : (
    <span className="text-warning-text">
      {`Cannot be changed here: ${leftOut.join(", ")}. Use the buttons to launch, stop or archive.`}
    </span>
  );
}
