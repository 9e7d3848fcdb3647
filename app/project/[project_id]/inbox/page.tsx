import { Inbox as InboxIcon, Lock } from "lucide-react";
import type { Metadata, Route } from "next";
import { InboxList } from "#components/notifications/inbox-list.tsx";
import { InboxNote } from "#components/notifications/inbox-note.tsx";
import { RestoreButton } from "#components/notifications/restore-button.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page } from "#components/ui/display/page-header.tsx";
import { accessTo, permitted } from "#lib/app/session/permitted.ts";
import { requireWho } from "#lib/app/session/who.ts";
import { inboxContract } from "#lib/notifications/inbox/contract.ts";
import { plural } from "#lib/platform/format.ts";
import { inboxActions } from "./inbox-actions.ts";
import { InboxHeader } from "./inbox-header.tsx";

export const metadata: Metadata = { title: "Inbox" };

type Props = { params: Promise<{ project_id: string }> };

export default async function InboxPage({ params }: Props) {
  const { project_id } = await params;
  const { api } = await requireWho();
  const [inbox, access] = await Promise.all([
    permitted(api.call(inboxContract.retrieve, { params: { project_id } })),
    accessTo("user:write", "set items aside"),
  ]);
  const shared = { projectId: project_id, access, actions: inboxActions };
  return (
    <Page width="wide">
      <InboxHeader projectId={project_id} current="inbox" />
      {inbox === null ? (
        <EmptyState icon={Lock} title="Your API key cannot read the inbox">
          Sign in with a key that has the scope project:read.
        </EmptyState>
      ) : (
        <>
          <InboxNote projectId={Number(project_id)} count={inbox.items.length} complete={inbox.complete} />
          {inbox.items.length === 0 ? (
            <EmptyState
              icon={InboxIcon}
              title="Nothing needs you"
              actions={
                <ButtonLink href={`/project/${project_id}/feature_flags` as Route}>
                  Go to feature flags
                </ButtonLink>
              }
            >
              Requests to review, ramps that wait, experiments that are done and whatever else needs a
              decision appear here.
            </EmptyState>
          ) : (
            <InboxList {...shared} items={inbox.items} />
          )}
          {inbox.complete ? null : (
            <p className="mt-3 text-muted text-xs">
              There are more items than are shown. Deal with these first.
            </p>
          )}
          {inbox.set_aside > 0 ? (
            <div className="mt-4 flex items-center gap-2 text-muted text-xs">
              {plural(inbox.set_aside, "item is", "items are")} set aside until something changes.
              <RestoreButton {...shared} />
            </div>
          ) : null}
        </>
      )}
    </Page>
  );
}
