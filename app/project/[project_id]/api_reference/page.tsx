import { Unplug } from "lucide-react";
import type { Metadata } from "next";
import { Reference } from "#components/api_reference/reference.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { type Reference as ReferenceModel, referenceOf } from "#lib/app/api_reference/document.ts";
import { reach } from "#lib/app/session/api.ts";
import { requireWho } from "#lib/app/session/who.ts";
import { tryIt } from "./actions.ts";

export const metadata: Metadata = { title: "API reference" };

type Props = { params: Promise<{ project_id: string }> };

export default async function ApiReferencePage({ params }: Props) {
  const { project_id } = await params;
  const { session, who } = await requireWho();
  const reference = await documentOf(session.api_base_url);
  const project = who.projects.find((each) => String(each.id) === project_id);
  return (
    <Page>
      <PageHeader
        title="API reference"
        mark={reference ? <span className="tabular text-faint text-xs">{reference.version}</span> : null}
        description="Every endpoint, including those that the dashboard uses. Try them with the key you are signed in with."
        actions={
          session.api_base_url === "own" ? (
            <a
              href="/api/schema/"
              className="rounded-xs text-accent-text text-sm underline decoration-accent-line underline-offset-[3px] hover:decoration-current"
            >
              OpenAPI 3.1 document
            </a>
          ) : null
        }
      />
      {reference ? (
        <Reference
          reference={reference}
          context={{
            projectId: project_id,
            projectName: project?.name ?? `project ${project_id}`,
            base: session.api_base_url === "own" ? null : session.api_base_url,
            scopes: who.scopes,
          }}
          tryIt={tryIt}
        />
      ) : (
        <EmptyState icon={Unplug} title="No API description">
          The API that you are signed in to has no OpenAPI document at /api/schema/, so there is nothing to
          show.
        </EmptyState>
      )}
    </Page>
  );
}

async function documentOf(apiBaseUrl: string): Promise<ReferenceModel | null> {
  const { base, send } = reach(apiBaseUrl);
  const answer = await send(new Request(`${base}/api/schema/`, { redirect: "error" })).catch(() => null);
  if (!answer?.ok) return null;
  return referenceOf(await answer.json().catch(() => null));
}
