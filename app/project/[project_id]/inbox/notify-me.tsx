import { NotifySelect } from "#components/notifications/notify-select.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { accessTo, permitted } from "#lib/app/session/permitted.ts";
import type { ResourceType } from "#lib/notifications/messages/types-schema.ts";
import { notificationSubscriptionContract } from "#lib/notifications/subscriptions/contract.ts";
import { inboxActions } from "./inbox-actions.ts";

type Props = { projectId: string; type: ResourceType; id: string };

/** Whether somebody is notified of what happens to a flag, an experiment or a survey. */
export async function NotifyMe({ projectId, type, id }: Props) {
  const query = { resource_type: type, resource_id: id, limit: "1" } as const;
  const [found, access] = await Promise.all([
    permitted(
      (await getApi()).call(notificationSubscriptionContract.list, {
        params: { project_id: projectId },
        query,
      }),
    ),
    accessTo("user:write", "subscribe"),
  ]);
  if (!found) return null;
  const [subscription] = found.results;
  return (
    <NotifySelect
      projectId={projectId}
      resource={{ resource_type: type, resource_id: id }}
      current={subscription ? (subscription.digest ? "daily" : "at_once") : "off"}
      canSend={found.can_send}
      access={access}
      actions={inboxActions}
    />
  );
}
