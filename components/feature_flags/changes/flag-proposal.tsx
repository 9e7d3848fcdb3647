import type { Proposal, ProposeActions } from "#components/kit/propose/propose-dialog.tsx";
import type { FlagChange } from "#lib/flags/feature_flags/schema.ts";

type Of = { projectId: string; flag: { id: number; key: string }; actions: ProposeActions };

/** A change of a stored flag as a proposal, under its title. */
export const proposalOf = ({ projectId, flag, actions }: Of, title: string, body: FlagChange): Proposal => ({
  projectId,
  actions,
  title: (
    <>
      {title} <span className="font-mono text-base">{flag.key}</span>
    </>
  ),
  changes: () => [{ method: "PATCH", path: `/api/projects/${projectId}/feature_flags/${flag.id}/`, body }],
});
