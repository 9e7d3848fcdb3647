import { BellOff, Lock } from "lucide-react";
import type { Metadata } from "next";
import { DigestCard } from "#components/notifications/digest-card.tsx";
import { MailNote } from "#components/notifications/mail-note.tsx";
import { SubscriptionList } from "#components/notifications/subscription-list.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page } from "#components/ui/display/page-header.tsx";
import { accessTo, permitted } from "#lib/app/session/permitted.ts";
import { requireWho } from "#lib/app/session/who.ts";
import { notificationSubscriptionContract } from "#lib/notifications/subscriptions/contract.ts";
import { inboxActions } from "../inbox-actions.ts";
import { InboxHeader } from "../inbox-header.tsx";

export const metadata: Metadata = { title: "Subscriptions" };

type Props = { params: Promise<{ project_id: string }> };

/** As many as somebody can have. */
const ALL = "500";

export default async function SubscriptionsPage({ params }: Props) {
  const { project_id } = await params;
  const { api, who } = await requireWho();
  const [found, next, access] = await Promise.all([
    permitted(
      api.call(notificationSubscriptionContract.list, { params: { project_id }, query: { limit: ALL } }),
    ),
    permitted(api.call(notificationSubscriptionContract.digest, { params: { project_id } })),
    accessTo("user:write", "change subscriptions"),
  ]);
  const hasDigest =
    found?.results.some((subscription) => subscription.digest) ||
    (next && next.messages.length + next.hidden > 0);
  const timezone = who.projects.find((each) => String(each.id) === project_id)?.timezone ?? "UTC";
  return (
    <Page width="wide">
      <InboxHeader projectId={project_id} current="subscriptions" />
      {found === null ? (
        <EmptyState icon={Lock} title="Your API key cannot read subscriptions">
          Sign in with a key that has the scope user:read.
        </EmptyState>
      ) : (
        <div className="flex flex-col gap-4">
          <MailNote canSend={found.can_send} email={found.email} />
          {found.results.length === 0 ? (
            <EmptyState icon={BellOff} title="You have no subscriptions">
              “Notify me” is on the page of each flag, experiment and survey.
            </EmptyState>
          ) : (
            <SubscriptionList
              projectId={project_id}
              subscriptions={found.results}
              access={access}
              actions={inboxActions}
            />
          )}
          {next && hasDigest ? <DigestCard digest={next} timezone={timezone} /> : null}
        </div>
      )}
    </Page>
  );
}
