"use client";

import { ConditionSets } from "#components/conditions/editor/condition-sets.tsx";
import type { PlacedProblem } from "#components/kit/editor/json.ts";
import { Field } from "#components/ui/form/field.tsx";
import { JsonEditor } from "#components/ui/form/json/json-editor.tsx";
import type { FlagProperty } from "#lib/people/conditions/filters-schema.ts";
import type { Names } from "#lib/people/conditions/words.ts";

type Props = {
  projectId: string;
  sets: FlagProperty[][] | null;
  json: string;
  names: Names;
  problem: PlacedProblem | null;
  onSetsChange: (sets: FlagProperty[][]) => void;
  onJsonChange: (json: string) => void;
};

/** The definition as sets of rows; as JSON where rows cannot express it. */
export function DefinitionField({ projectId, sets, json, names, problem, ...on }: Props) {
  if (sets)
    return (
      <Field label="People match" as="group" description="Every row of any one set.">
        <ConditionSets
          projectId={projectId}
          initial={sets}
          names={names}
          problem={problem}
          onSetsChange={on.onSetsChange}
        />
      </Field>
    );
  return (
    <Field
      label="Definition as JSON"
      description="This definition is nested or negated in a way that rows cannot show. Edit it here as JSON."
      error={problem?.message}
    >
      <JsonEditor
        value={json}
        onValueChange={on.onJsonChange}
        minLines={12}
        problems={
          problem && problem.path.length > 0 ? [{ message: problem.message, path: problem.path }] : []
        }
      />
    </Field>
  );
}
