"use client";

import { UserMinus } from "lucide-react";
import { useState } from "react";
import type { CohortActions } from "#app/project/[project_id]/cohorts/cohort-actions.ts";
import { attempt, findProblem, reportProblem } from "#components/kit/action.ts";
import { IconButton } from "#components/ui/icon-button.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";

type Props = {
  projectId: string;
  cohortId: number;
  person: { id: string; name: string };
  actions: Pick<CohortActions, "addMember" | "removeMember">;
};

/** Removes a person from a static cohort, with undo. */
export function RemoveMember({ projectId, cohortId, person, actions }: Props) {
  const [pending, setPending] = useState(false);
  async function remove() {
    setPending(true);
    const result = await attempt(() => actions.removeMember(projectId, cohortId, person.id));
    setPending(false);
    if (!result.ok) return reportProblem(`${person.name} was not removed`, result);
    toast.withUndo(`${person.name} was removed`, () =>
      findProblem(() => actions.addMember(projectId, cohortId, person.id)),
    );
  }
  return (
    <IconButton
      icon={UserMinus}
      size="sm"
      label={`Remove ${person.name} from the cohort`}
      loading={pending}
      onClick={remove}
    />
  );
}
