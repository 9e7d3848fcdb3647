import { NotifySelect } from "#components/notifications/notify-select.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { accessTo } from "#lib/app/session/permitted.ts";
import type { ResourceType } from "#lib/notifications/messages/types-schema.ts";
import { notificationSubscriptionContract } from "#lib/notifications/subscriptions/contract.ts";
import { ApiError } from "#lib/platform/http/errors.ts";
import { inboxActions } from "./inbox-actions.ts";

type Props = { projectId: string; type: ResourceType; id: string };

/** The page is about something else: without an answer, it is shown without this. */
async function unlessRefused<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/** Whether somebody is notified of what happens to a flag, an experiment or a survey. */
export async function NotifyMe({ projectId, type, id }: Props) {
  const query = { resource_type: type, resource_id: id, limit: "1" } as const;
  const [found, access] = await Promise.all([
    unlessRefused(
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
