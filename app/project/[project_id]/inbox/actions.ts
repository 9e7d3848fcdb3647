"use server";

import type { z } from "zod";
import { writeResult } from "#lib/app/session/action-result.ts";
import { inboxContract } from "#lib/notifications/inbox/contract.ts";
import type { inboxDismiss } from "#lib/notifications/inbox/schema.ts";
import { notificationSubscriptionContract } from "#lib/notifications/subscriptions/contract.ts";
import type { subscriptionCreate } from "#lib/notifications/subscriptions/schema.ts";

const PAGES = "/project/[project_id]";

export async function dismiss(project_id: string, body: z.input<typeof inboxDismiss>) {
  return writeResult(PAGES, async (api) => {
    await api.call(inboxContract.dismiss, { params: { project_id }, body });
    return null;
  });
}

export async function restore(project_id: string) {
  return writeResult(PAGES, async (api) => {
    await api.call(inboxContract.restore, { params: { project_id } });
    return null;
  });
}

export async function subscribe(project_id: string, body: z.input<typeof subscriptionCreate>) {
  return writeResult(PAGES, (api) =>
    api.call(notificationSubscriptionContract.create, { params: { project_id }, body }),
  );
}

export async function unsubscribe(
  project_id: string,
  {
    resource_type,
    resource_id,
  }: Pick<z.input<typeof subscriptionCreate>, "resource_type"> & {
    resource_id: string;
  },
) {
  return writeResult(PAGES, async (api) => {
    await api.call(notificationSubscriptionContract.destroy, {
      params: { project_id, resource_type, resource_id },
    });
    return null;
  });
}
