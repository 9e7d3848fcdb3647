import { Lock } from "lucide-react";
import type { Metadata } from "next";
import { ReadOnlyNote } from "#components/kit/access.tsx";
import type { SearchParams } from "#components/kit/list/search-params.ts";
import { DeliveryCard } from "#components/notifications/delivery-card.tsx";
import { deliveryList } from "#components/notifications/delivery-list.ts";
import { DestinationList } from "#components/notifications/destination-list.tsx";
import { MailNote } from "#components/notifications/mail-note.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { accessTo, permitted } from "#lib/app/session/permitted.ts";
import { requireWho } from "#lib/app/session/who.ts";
import { notificationDeliveryContract } from "#lib/notifications/deliveries/contract.ts";
import { notificationDestinationContract } from "#lib/notifications/destinations/contract.ts";
import { notificationSubscriptionContract } from "#lib/notifications/subscriptions/contract.ts";
import { destinationActions } from "./destination-actions.ts";

export const metadata: Metadata = { title: "Notifications" };

type Props = { params: Promise<{ project_id: string }>; searchParams: Promise<SearchParams> };

export default async function NotificationsPage({ params, searchParams }: Props) {
  const { project_id } = await params;
  const query = deliveryList.read(await searchParams);
  const { api } = await requireWho();
  const page = { limit: String(deliveryList.pageSize), offset: String(query.offset) };
  const [destinations, deliveries, own, access] = await Promise.all([
    permitted(api.call(notificationDestinationContract.list, { params: { project_id } })),
    permitted(
      api.call(notificationDeliveryContract.list, {
        params: { project_id },
        query: {
          ...page,
          ...(query.state && { state: query.state }),
          ...(query.destination && { destination: query.destination }),
        },
      }),
    ),
    permitted(
      api.call(notificationSubscriptionContract.list, { params: { project_id }, query: { limit: "1" } }),
    ),
    accessTo("project:write", "change destinations"),
  ]);
  const header = (
    <PageHeader
      title="Notifications"
      description="Send notifications about this project to other people and systems."
    />
  );
  if (!destinations || !deliveries)
    return (
      <Page width="wide">
        {header}
        <EmptyState icon={Lock} title="Destinations are for administrators">
          Sign in as an administrator of the organization, with a key that has the scope project:read. To
          choose what you are notified about, open Subscriptions in your inbox.
        </EmptyState>
      </Page>
    );
  const shared = { projectId: project_id, access, actions: destinationActions };
  return (
    <Page width="wide">
      {header}
      <ReadOnlyNote access={access} />
      <div className="flex flex-col gap-5">
        {own?.can_send === false ? <MailNote canSend={false} email="" /> : null}
        <DestinationList {...shared} destinations={destinations.results} />
        {destinations.count > 0 ? (
          <DeliveryCard
            {...shared}
            query={query}
            destinations={destinations.results}
            deliveries={deliveries.results}
            count={deliveries.count}
          />
        ) : null}
      </div>
    </Page>
  );
}
