import type { MemberContext } from "#lib/notifications/context.ts";
import { inTransaction } from "#lib/platform/db/connect.ts";
import { requireAdmin } from "#lib/platform/http/auth.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { invalid, notFound } from "#lib/platform/http/errors.ts";
import { instant, instantOrNull } from "#lib/platform/http/instant.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import type { notificationDeliveryContract } from "./contract.ts";
import { LIFETIME_MS } from "./retries.ts";
import type { DeliveryRecord } from "./schema.ts";
import { replayDead, type Sent, selectDeliveries, selectDelivery } from "./store.ts";

type Of<Name extends keyof typeof notificationDeliveryContract> = Input<
  (typeof notificationDeliveryContract)[Name]
>;

const recordOf = ({ delivery, message, name }: Sent & { name: string }): DeliveryRecord => ({
  id: delivery.id,
  message_id: `msg_${message.id}`,
  destination: { id: delivery.destination_id, name },
  state: delivery.state,
  payload: message.payload,
  attempts: delivery.attempts,
  next_attempt_at: delivery.state === "waiting" ? instant(delivery.next_at) : null,
  attempted_at: instantOrNull(delivery.attempted_at),
  response_status: delivery.response_status,
  response_body: delivery.response_body,
  error: delivery.error,
  ended_at: instantOrNull(delivery.ended_at),
  created_at: instant(delivery.created_at),
});

const requireOwnAdmin = (context: MemberContext) => requireAdmin(context, context.project.organization_id);

export async function list(context: MemberContext, { query }: Of<"list">) {
  await requireOwnAdmin(context);
  const filter = { project_id: context.project.id, destination_id: query.destination, state: query.state };
  const { rows, total } = await selectDeliveries(context.db, filter, query);
  return { count: total, ...neighbours(context.url, query, total), results: rows.map(recordOf) };
}

const ID = /^\d{1,15}$/;

async function found(context: MemberContext, id: string) {
  await requireOwnAdmin(context);
  const row = ID.test(id) ? await selectDelivery(context.db, context.project.id, Number(id)) : null;
  if (!row) throw notFound();
  return row;
}

export const retrieve = async (context: MemberContext, { params }: Of<"retrieve">) =>
  recordOf(await found(context, params.id));

export async function replay(context: MemberContext, { params }: Of<"replay">) {
  const { delivery, enabled } = await found(context, params.id);
  const { project, db, now } = context;
  if (delivery.state !== "dead") throw invalid("Only messages that failed for good can be sent again.");
  if (!enabled) throw invalid("The destination is turned off.");
  const of = { project_id: project.id, destination_id: delivery.destination_id, id: delivery.id };
  const expires_at = new Date(now.getTime() + LIFETIME_MS);
  await inTransaction(db, (tx) => replayDead(tx, of, { now, expires_at }));
  return recordOf(await found(context, params.id));
}
