import { cookies } from "next/headers";
import { notFound } from "next/navigation";
import type { ReactNode } from "react";
import { Frame } from "#components/frame/frame.tsx";
import { RAIL_COOKIE, THEME_COOKIE, themeOf } from "#components/frame/theme.ts";
import { publicAddress } from "#lib/app/session/public-address.ts";
import { requireWho } from "#lib/app/session/who.ts";
import { signInAgainAction, signOutAction } from "../../sign-in/actions.ts";
import { Providers } from "./providers.tsx";

type ProjectLayoutProps = { params: Promise<{ project_id: string }>; children: ReactNode };

export default async function ProjectLayout({ params, children }: ProjectLayoutProps) {
  const { who, session } = await requireWho();
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
        narrow={cookieStore.get(RAIL_COOKIE)?.value === "narrow"}
        signOut={signOutAction}
        signInAgain={signInAgainAction.bind(null, { email, api_base_url })}
        draftOwner={email === null ? null : `${api_base_url} ${email}`}
      >
        {children}
      </Frame>
    </Providers>
  );
}
