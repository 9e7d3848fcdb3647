import { Lock } from "lucide-react";
import type { Metadata } from "next";
import { bodyOf, TEMPLATES } from "#components/approval_policies/policy-body.ts";
import { PolicyList } from "#components/approval_policies/policy-list.tsx";
import { ReadOnlyNote } from "#components/kit/access.tsx";
import { forAdministrators } from "#components/projects/levels.ts";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { sameJson } from "#lib/activity/changes.ts";
import { accessTo, permitted } from "#lib/app/session/permitted.ts";
import { requireWho } from "#lib/app/session/who.ts";
import { approvalPolicyContract } from "#lib/approvals/approval_policies/contract.ts";
import { policyInWords, policyOf } from "#lib/approvals/approval_policies/requirements.ts";
import { policyCreate } from "#lib/approvals/approval_policies/schema.ts";
import type { MemberRecord } from "#lib/identity/organizations/schema.ts";
import { projectContract } from "#lib/identity/projects/contract.ts";
import { organizationOf } from "../project/reads.ts";
import { policyActions } from "./policy-actions.ts";

export const metadata: Metadata = { title: "Approvals" };

type Props = { params: Promise<{ project_id: string }> };

const approverOf = ({ user }: MemberRecord) => ({
  id: user.id,
  name: `${user.first_name} ${user.last_name}`.trim() || user.email,
});

export default async function ApprovalsPage({ params }: Props) {
  const { project_id } = await params;
  const { api } = await requireWho();
  const [policies, project] = await Promise.all([
    permitted(api.call(approvalPolicyContract.list, { params: { project_id } })),
    permitted(api.call(projectContract.retrieve, { params: { project_id } })),
  ]);
  const header = (
    <PageHeader title="Approvals" description="Which changes have to be approved before they take effect." />
  );
  if (!policies || !project)
    return (
      <Page width="form">
        {header}
        <EmptyState icon={Lock} title="Your API key cannot read policies">
          Sign in with a key that has the scope project:read.
        </EmptyState>
      </Page>
    );
  const [{ organization, members }, keyAccess] = await Promise.all([
    organizationOf(api, project.organization),
    accessTo("project:write", "change policies"),
  ]);
  const access = forAdministrators(keyAccess, organization?.membership_level ?? null, "change policies");
  const used = policies.results.map(bodyOf);
  const isUsed = ({ body }: (typeof TEMPLATES)[number]) =>
    used.some(
      (each) =>
        sameJson(each.conditions, body.conditions) &&
        each.forbidden === body.forbidden &&
        (body.forbidden || each.approver_config?.quorum === body.approver_config?.quorum),
    );
  return (
    <Page width="form">
      {header}
      <ReadOnlyNote access={access} />
      <PolicyList
        projectId={project_id}
        policies={policies.results}
        templates={TEMPLATES.filter((template) => !isUsed(template)).map((template) => ({
          ...template,
          words: policyInWords(policyOf(policyCreate.parse(template.body)), { users: new Map() }),
        }))}
        members={members?.results.filter((member) => member.is_active).map(approverOf) ?? null}
        timezone={project.timezone}
        access={access}
        actions={policyActions}
      />
    </Page>
  );
}
