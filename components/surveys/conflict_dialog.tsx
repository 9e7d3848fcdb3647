"use client";

import { DifferencesList } from "#components/feature_flags/differences_list.tsx";
import { ConflictDialog } from "#components/ui/conflict-dialog.tsx";
import { useBuilder } from "./builder_context.tsx";
import { surveyDifferences } from "./differences.ts";
import { bodyOf } from "./survey_draft.ts";
import { type Conflict, merged, type Saving, storedBody } from "./use_save.ts";

/** Somebody changed the survey while it was edited here. */
export function SurveyConflictDialog({ conflict, saving }: { conflict: Conflict; saving: Saving }) {
  const { draft, names } = useBuilder();
  const [base, current] = [storedBody(conflict.base), storedBody(conflict.current)];
  const mine = merged(base, current, bodyOf(draft));
  return (
    <ConflictDialog
      title="This survey was changed meanwhile"
      ways={saving}
      theirs={
        <DifferencesList label="What they changed" differences={surveyDifferences(base, current, names)} />
      }
      mine={
        <DifferencesList
          label="What saving yours changes"
          differences={surveyDifferences(current, mine, names)}
        />
      }
    />
  );
}
