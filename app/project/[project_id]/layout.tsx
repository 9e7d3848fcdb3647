import { cookies } from "next/headers";
import { notFound } from "next/navigation";
import type { ReactNode } from "react";
import { Frame } from "#components/frame/frame.tsx";
import { RAIL_COOKIE, THEME_COOKIE, themeOf } from "#components/frame/theme.ts";
import { permitted } from "#lib/app/session/permitted.ts";
import { publicAddress } from "#lib/app/session/public-address.ts";
import { requireWho } from "#lib/app/session/who.ts";
import { approvalPolicyContract } from "#lib/approvals/approval_policies/contract.ts";
import { changeRequestContract } from "#lib/approvals/change_requests/contract.ts";
import type { Client } from "#lib/platform/http/client.ts";
import { signInAgainAction, signOutAction } from "../../sign-in/actions.ts";
import { InboxCount, Providers } from "./providers.tsx";

type ProjectLayoutProps = { params: Promise<{ project_id: string }>; children: ReactNode };

export default async function ProjectLayout({ params, children }: ProjectLayoutProps) {
  const { api, who, session } = await requireWho();
  const { project_id } = await params;
  const project = who.projects.find((each) => String(each.id) === project_id);
  if (!project) notFound();
  const cookieStore = await cookies();
  const { api_base_url } = session;
  const email = who.user?.email ?? null;
  return (
    <Providers>
      <Frame
        user={who.user ?? { name: "Personal API key", email: "Owner unknown" }}
        scopes={who.scopes}
        projects={who.projects}
        project={project}
        theme={themeOf(cookieStore.get(THEME_COOKIE)?.value)}
        publicAddress={await publicAddress()}
        hasApprovals={await hasApprovals(api, project_id)}
        narrow={cookieStore.get(RAIL_COOKIE)?.value === "narrow"}
        signOut={signOutAction}
        signInAgain={signInAgainAction.bind(null, { email, api_base_url })}
        draftOwner={email === null ? null : `${api_base_url} ${email}`}
      >
        <InboxCount projectId={project.id} />
        {children}
      </Frame>
    </Providers>
  );
}

/** Whether a project has an approval policy or a change request; not where the key cannot read them. */
async function hasApprovals(api: Client, project_id: string): Promise<boolean> {
  const call = { params: { project_id }, query: { limit: "1" } };
  const found = await Promise.all([
    permitted(api.call(approvalPolicyContract.list, call)),
    permitted(api.call(changeRequestContract.list, call)),
  ]);
  return found.some((list) => list !== null && list.count > 0);
}
