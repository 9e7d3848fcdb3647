"use server";

import type { z } from "zod";
import { writeResult } from "#lib/app/session/action-result.ts";
import { notificationDeliveryContract } from "#lib/notifications/deliveries/contract.ts";
import { notificationDestinationContract } from "#lib/notifications/destinations/contract.ts";
import type { destinationCreate, destinationUpdate } from "#lib/notifications/destinations/schema.ts";

/** The inbox says what did not arrive. */
const PAGES = "/project/[project_id]";

export async function create(project_id: string, body: z.input<typeof destinationCreate>) {
  return writeResult(PAGES, (api) =>
    api.call(notificationDestinationContract.create, { params: { project_id }, body }),
  );
}

export async function update(project_id: string, id: string, body: z.input<typeof destinationUpdate>) {
  return writeResult(PAGES, (api) =>
    api.call(notificationDestinationContract.partial_update, { params: { project_id, id }, body }),
  );
}

export async function remove(project_id: string, id: string) {
  return writeResult(PAGES, async (api) => {
    await api.call(notificationDestinationContract.destroy, { params: { project_id, id } });
    return null;
  });
}

export async function test(project_id: string, id: string) {
  return writeResult(PAGES, (api) =>
    api.call(notificationDestinationContract.test, { params: { project_id, id } }),
  );
}

export async function rotate(project_id: string, id: string) {
  return writeResult(PAGES, (api) =>
    api.call(notificationDestinationContract.rotate_secret, { params: { project_id, id }, body: {} }),
  );
}

export async function replayAll(project_id: string, id: string) {
  return writeResult(PAGES, (api) =>
    api.call(notificationDestinationContract.replay, { params: { project_id, id } }),
  );
}

export async function replay(project_id: string, id: number) {
  return writeResult(PAGES, (api) =>
    api.call(notificationDeliveryContract.replay, { params: { project_id, id: String(id) } }),
  );
}
