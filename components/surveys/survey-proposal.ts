import type { Proposal, ProposeActions } from "#components/kit/propose/propose-dialog.tsx";
import type { creationOf } from "#components/surveys/draft/survey-draft.ts";
import type { ProposedChange } from "#lib/approvals/change_requests/schema.ts";
import type { SurveyWritten } from "#lib/surveys/surveys/schema.ts";

type Of = { projectId: string; survey: Pick<SurveyWritten, "id" | "name">; actions: ProposeActions };

/** What is done to a stored survey as a proposal: "launch Why did you leave". */
export const proposalOf = (
  { projectId, survey: { id, name }, actions }: Of,
  verb: string,
  change: Pick<ProposedChange, "method" | "body">,
): Proposal => ({
  projectId,
  actions,
  title: `${verb} ${name}`,
  changes: () => [{ ...change, path: `/api/projects/${projectId}/surveys/${id}/` }],
});

/** A new survey as a proposal. */
export const creationProposalOf = (
  { projectId, actions }: Pick<Of, "projectId" | "actions">,
  body: ReturnType<typeof creationOf>,
): Proposal => ({
  projectId,
  actions,
  title: `create ${body.name}`,
  changes: () => [{ method: "POST", path: `/api/projects/${projectId}/surveys/`, body }],
});
