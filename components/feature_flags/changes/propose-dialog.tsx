"use client";

import type { Route } from "next";
import { useRouter } from "next/navigation";
import { useState } from "react";
import type { FlagActions } from "#app/project/[project_id]/feature_flags/flag-actions.ts";
import type { FlagBody } from "#components/feature_flags/form-values.ts";
import { attempt } from "#components/kit/action.ts";
import { DifferencesList } from "#components/kit/editor/differences-list.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Textarea } from "#components/ui/form/textarea.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import { listFlagDifferences } from "#lib/flags/feature_flags/history/differences.ts";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import type { Names } from "#lib/people/conditions/words.ts";

type Props = {
  projectId: string;
  base: FlagRecord;
  body: FlagBody;
  /** The fields that were changed. */
  changes: Partial<FlagBody>;
  names: Names;
  actions: FlagActions;
  onClose: () => void;
  onProposed: () => void;
};

/** Proposes the changes of the form, for others to review before they take effect. */
export function ProposeDialog({
  projectId,
  base,
  body,
  changes,
  names,
  actions,
  onClose,
  onProposed,
}: Props) {
  const router = useRouter();
  const [description, setDescription] = useState("");

  async function propose(): Promise<string | undefined> {
    const path = `/api/projects/${projectId}/feature_flags/${base.id}/`;
    const result = await attempt(() =>
      actions.propose(projectId, { description, changes: [{ method: "PATCH", path, body: changes }] }),
    );
    if (!result.ok) return result.error.detail;
    onProposed();
    toast.success("The change was proposed");
    router.push(`/project/${projectId}/change_requests/${result.data.id}` as Route);
    return undefined;
  }
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={
        <>
          Propose a change of <span className="font-mono text-base">{base.key}</span>
        </>
      }
      description="Nothing changes until somebody else has approved it."
      confirmLabel="Propose change"
      onConfirm={propose}
    >
      <DifferencesList label="What changes" differences={listFlagDifferences(base, body, names)} />
      <Field label="Why" optional>
        <Textarea rows={3} value={description} onChange={(event) => setDescription(event.target.value)} />
      </Field>
    </ConfirmDialog>
  );
}
