import { randomUUID } from "node:crypto";
import type { Runtime } from "#lib/app/runtime.ts";
import { selectUnconcluded } from "#lib/experiments/experiments/store.ts";
import { ATTEMPTS_MAX, LIFETIME_MS } from "#lib/notifications/deliveries/retries.ts";
import { insertDeliveries, insertMessages } from "#lib/notifications/deliveries/store.ts";
import { destinationCreate } from "#lib/notifications/destinations/schema.ts";
import { create, list } from "#lib/notifications/destinations/service.ts";
import { pagePathOf } from "#lib/notifications/messages/pages.ts";
import type { Payload } from "#lib/notifications/messages/payload-schema.ts";
import { inTransaction } from "#lib/platform/db/connect.ts";
import type * as http from "#lib/platform/http/context.ts";
import { instant } from "#lib/platform/http/instant.ts";

type MemberContext = http.MemberContext<Runtime>;

/** Names under .invalid never lead anywhere. */
const ADDRESS = "https://hooks.acme.invalid/switchyard";
const HOUR_MS = 3_600_000;

/** A destination that was down for a day, and a message that it has missed. */
export async function loadNotifications(context: MemberContext): Promise<void> {
  const { db, project, now, runtime } = context;
  const call = { params: { project_id: "" }, query: { limit: 1, offset: 0 } };
  if ((await list(context, { ...call, body: undefined })).count > 0) return;
  const body = destinationCreate.parse({
    kind: "webhook",
    name: "Incident bot",
    address: ADDRESS,
    types: ["ramp.paused", "ramp.rolled_back", "experiment.finished", "experiment.mismatched"],
  });
  const destination = await create(context, { ...call, query: {}, body });
  const since = new Date(0);
  const [experiment] = await selectUnconcluded(db, { project_id: project.id, since, limit: 1 });
  if (!experiment) return;
  const ended_at = new Date(now.getTime() - HOUR_MS);
  const created_at = new Date(ended_at.getTime() - LIFETIME_MS);
  const resource = { type: "experiment" as const, id: String(experiment.id), name: experiment.name };
  const payload: Payload = {
    type: "experiment.finished",
    timestamp: instant(created_at),
    data: {
      title: `${experiment.name} can be concluded`,
      detail: "It has reached its planned sample, so its results can be read.",
      project: { id: project.id, name: project.name },
      actor: null,
      resource,
      action: "finished",
      changes: [],
      link: `${runtime.notifications.public_url}${pagePathOf(project.id, resource)}`,
    },
  };
  const message = { id: randomUUID(), project_id: project.id, type: payload.type, payload, created_at };
  await inTransaction(db, async (tx) => {
    await insertMessages(tx, [message]);
    await insertDeliveries(tx, [
      {
        project_id: project.id,
        destination_id: destination.id,
        message_id: message.id,
        state: "dead",
        attempts: ATTEMPTS_MAX,
        next_at: ended_at,
        expires_at: ended_at,
        attempted_at: ended_at,
        response_status: 503,
        response_body: "The incident bot is being moved to another host. Come back later.",
        error: "The receiver could not take it (503).",
        ended_at,
        created_at,
      },
    ]);
  });
}
