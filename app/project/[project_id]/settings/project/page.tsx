import { Lock } from "lucide-react";
import type { Metadata, Route } from "next";
import { Suspense } from "react";
import { LoadDemo } from "#components/demo/load-demo.tsx";
import { DataCard } from "#components/projects/data-card.tsx";
import { EnvironmentsCard } from "#components/projects/environments-card.tsx";
import { GeneralCard } from "#components/projects/general-card.tsx";
import { TestAccountsCard } from "#components/projects/internal-users-card.tsx";
import { forAdministrators } from "#components/projects/levels.ts";
import { MembersCard } from "#components/projects/members-card.tsx";
import { RetentionCard } from "#components/projects/retention-card.tsx";
import { TokensCard } from "#components/projects/tokens-card.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { Skeleton } from "#components/ui/display/skeleton.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { accessTo, permitted } from "#lib/app/session/permitted.ts";
import { requireWho } from "#lib/app/session/who.ts";
import { projectContract } from "#lib/identity/projects/contract.ts";
import { retentionContract } from "#lib/people/retention/contract.ts";
import { loadDemo } from "../../demo/actions.ts";
import { projectActions } from "./project-actions.ts";
import { environmentGroupsOf, organizationOf, projectsOf, readHoldings } from "./reads.ts";

export const metadata: Metadata = { title: "Project" };

type Props = { params: Promise<{ project_id: string }> };

const header = <PageHeader title="Project" description="Its name, SDK tokens, members and data." />;

export default async function ProjectPage({ params }: Props) {
  const { project_id } = await params;
  const { api, who, session } = await requireWho();
  const project = await permitted(api.call(projectContract.retrieve, { params: { project_id } }));
  if (!project)
    return (
      <Page width="form">
        {header}
        <EmptyState icon={Lock} title="Your API key cannot read projects">
          Sign in with a key that has the scope project:read.
        </EmptyState>
      </Page>
    );
  const [{ organization, members }, groups, projects, retention, access, memberAccess] = await Promise.all([
    organizationOf(api, project.organization),
    environmentGroupsOf(api, project.organization),
    projectsOf(api, project.organization),
    api.call(retentionContract.event_retention, { params: { project_id } }),
    accessTo("project:write", "change projects or see their secret key"),
    accessTo("organization_member:write", "add or change members"),
  ]);
  const level = organization?.membership_level ?? null;
  return (
    <Page width="form">
      {header}
      <div className="flex flex-col gap-5">
        <GeneralCard
          key={`${project.name} ${project.timezone}`}
          project={{ id: project.id, name: project.name, timezone: project.timezone }}
          access={access}
          actions={projectActions}
        />
        <TestAccountsCard
          key={JSON.stringify(project.test_account_filters)}
          project={{ id: project.id, test_account_filters: project.test_account_filters }}
          access={access}
          actions={projectActions}
        />
        <RetentionCard
          key={`retention ${JSON.stringify(project.event_retention)}`}
          project={{ id: project.id, event_retention: project.event_retention }}
          state={retention}
          access={access}
          actions={projectActions}
        />
        <TokensCard
          project={{ id: project.id, name: project.name, api_token: project.api_token }}
          access={forAdministrators(access, level, "replace tokens")}
          secretAccess={access}
          actions={projectActions}
        />
        {groups && projects ? (
          <EnvironmentsCard
            project={{ id: project.id, name: project.name }}
            organizationId={project.organization}
            groups={groups}
            projects={projects}
            access={forAdministrators(access, level, "link environments")}
            actions={projectActions}
          />
        ) : (
          <Card title="Environments" id="environments">
            <p className="text-muted text-sm">Your API key cannot read them: it is restricted to projects.</p>
          </Card>
        )}
        {members && organization ? (
          <MembersCard
            organization={{ id: organization.id, name: organization.name, level: level ?? 1 }}
            members={members.results}
            count={members.count}
            me={who.user?.email ?? null}
            access={forAdministrators(memberAccess, level, "add or change members")}
            actions={projectActions}
          />
        ) : (
          <Card title="Members" id="members">
            <p className="text-muted text-sm">
              Your API key cannot read them. It needs the scopes organization:read and
              organization_member:read, and must not be restricted to projects.
            </p>
          </Card>
        )}
        <Card
          id="demo"
          className="scroll-mt-16"
          title="Demo project"
          description="300 flags, 20,000 people and 90 days of calls in a separate project, so that you can look around without touching yours."
        >
          {project.is_demo ? (
            <p className="text-muted text-sm">
              You are in it. Good places to start are the{" "}
              <TextLink href={`/project/${project_id}/inbox` as Route}>inbox</TextLink> and the newest of its{" "}
              <TextLink href={`/project/${project_id}/persons` as Route}>people</TextLink>.
            </p>
          ) : (
            <LoadDemo
              projectId={project_id}
              access={forAdministrators(access, level, "load it")}
              load={loadDemo}
            />
          )}
        </Card>
        <Suspense fallback={<Counting />}>
          <Data
            projectId={project_id}
            created_at={project.created_at}
            base={session.api_base_url === "own" ? null : session.api_base_url}
          />
        </Suspense>
      </div>
    </Page>
  );
}

function Counting() {
  return (
    <Card title="Data">
      <div role="status" aria-label="Counting" className="flex flex-col gap-3">
        <Skeleton className="h-3 w-3/5" />
        <Skeleton className="h-3 w-2/5" />
      </div>
    </Card>
  );
}

async function Data({ projectId, ...facts }: { projectId: string; created_at: string; base: string | null }) {
  return (
    <DataCard projectId={projectId} holdings={await readHoldings(await getApi(), projectId)} {...facts} />
  );
}
