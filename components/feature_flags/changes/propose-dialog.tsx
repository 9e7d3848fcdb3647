import type { FlagBody } from "#components/feature_flags/form-values.ts";
import { type ProposeActions, ProposeDialog } from "#components/kit/propose/propose-dialog.tsx";
import type { Revision } from "#components/kit/propose/revision.ts";
import { listFlagDifferences } from "#lib/flags/feature_flags/history/differences.ts";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import type { Names } from "#lib/people/conditions/words.ts";

type Props = {
  projectId: string;
  /** null: a new flag. */
  base: FlagRecord | null;
  body: FlagBody;
  /** The fields that were changed. */
  changes: Partial<FlagBody>;
  names: Names;
  revision: Revision | undefined;
  actions: ProposeActions;
  onClose: () => void;
  onProposed: () => void;
};

/** Proposes the changes of the form, or a new flag. */
export function ProposeFlagDialog({ projectId, base, body, changes, names, ...dialog }: Props) {
  const root = `/api/projects/${projectId}/feature_flags/`;
  return (
    <ProposeDialog
      {...dialog}
      projectId={projectId}
      title={
        <>
          {base ? "change" : "create"} <span className="font-mono text-base">{body.key}</span>
        </>
      }
      changes={() => [
        base
          ? { method: "PATCH", path: `${root}${base.id}/`, body: changes }
          : { method: "POST", path: root, body: { ...body, creation_context: "feature_flags" } },
      ]}
      {...(base && { differences: listFlagDifferences(base, body, names) })}
    />
  );
}
