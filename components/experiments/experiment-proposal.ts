import type { Proposal, ProposeActions } from "#components/kit/propose/propose-dialog.tsx";
import type {
  ExperimentChange,
  ExperimentCreation,
  ExperimentRecord,
} from "#lib/experiments/experiments/schema.ts";

type Of = { projectId: string; experiment: Pick<ExperimentRecord, "id" | "name">; actions: ProposeActions };

/** A change of a stored experiment as a proposal: "stop Checkout test". */
export const proposalOf = (
  { projectId, experiment: { id, name }, actions }: Of,
  verb: string,
  bodyOf: () => ExperimentChange,
): Proposal => ({
  projectId,
  actions,
  title: `${verb} ${name}`,
  changes: () => [{ method: "PATCH", path: `/api/projects/${projectId}/experiments/${id}/`, body: bodyOf() }],
});

/** A new experiment as a proposal. */
export const creationProposalOf = (
  { projectId, actions }: Pick<Of, "projectId" | "actions">,
  body: ExperimentCreation,
): Proposal => ({
  projectId,
  actions,
  title: `create ${body.name}`,
  changes: () => [{ method: "POST", path: `/api/projects/${projectId}/experiments/`, body }],
});
