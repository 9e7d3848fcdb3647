import { lockProject } from "#lib/identity/projects/store.ts";
import type { MemberContext } from "#lib/notifications/context.ts";
import { ensurePerson } from "#lib/notifications/destinations/store.ts";
import { namesOfResources } from "#lib/notifications/messages/resource-names.ts";
import { inTransaction } from "#lib/platform/db/connect.ts";
import { covers } from "#lib/platform/http/auth.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { invalid, notFound } from "#lib/platform/http/errors.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import type { notificationSubscriptionContract } from "./contract.ts";
import type { SubscriptionRecord } from "./schema.ts";
import {
  deleteSubscription,
  type Resource,
  type SubscriptionRow,
  selectSubscriptions,
  upsertSubscription,
} from "./store.ts";

type Of<Name extends keyof typeof notificationSubscriptionContract> = Input<
  (typeof notificationSubscriptionContract)[Name]
>;

const SUBSCRIPTIONS_MAX = 500;

const ownerOf = ({ project, user }: MemberContext) => ({ project_id: project.id, user_id: user.id });

/** Mails go to whoever subscribes, who may read everything; the key may not. */
const recordOf = ({ key }: MemberContext, row: SubscriptionRow, name: string): SubscriptionRecord => ({
  resource_type: row.resource_type,
  resource_id: row.resource_id,
  name: covers(key, `${row.resource_type}:read`) ? name : null,
  digest: row.digest,
  created_at: instant(row.created_at),
});

export async function list(context: MemberContext, { query }: Of<"list">) {
  const { db, user, url, runtime } = context;
  const { rows, total } = await selectSubscriptions(db, ownerOf(context), query, query);
  const resources = rows.map(({ resource_type, resource_id }) => ({ type: resource_type, id: resource_id }));
  const names = await namesOfResources(context, resources);
  return {
    count: total,
    ...neighbours(url, query, total),
    results: rows.map((row) =>
      recordOf(
        context,
        row,
        names.get(`${row.resource_type}/${row.resource_id}`) ?? `${row.resource_id} (deleted)`,
      ),
    ),
    email: user.email,
    can_send: runtime.notifications.mailer !== null,
  };
}

export async function create(context: MemberContext, { body }: Of<"create">) {
  const { resource_type, resource_id, digest } = body;
  const names = await namesOfResources(context, [{ type: resource_type, id: resource_id }]);
  const name = names.get(`${resource_type}/${resource_id}`);
  if (name === undefined)
    throw invalid("The project has none with this id.", "resource_id", "does_not_exist");
  const resource: Resource = { resource_type, resource_id };
  const row = await inTransaction(context.db, async (tx) => {
    await lockProject(tx, context.project.id);
    const { total } = await selectSubscriptions(tx, ownerOf(context), {}, { limit: 1, offset: 0 });
    if (total >= SUBSCRIPTIONS_MAX) throw invalid(`At most ${SUBSCRIPTIONS_MAX} subscriptions are possible.`);
    await ensurePerson(tx, { project_id: context.project.id }, context.user.id);
    return upsertSubscription(tx, { ...ownerOf(context), ...resource, digest, created_at: context.now });
  });
  return recordOf(context, row, name);
}

export async function destroy(context: MemberContext, { params }: Of<"destroy">) {
  const resource = { resource_type: params.resource_type, resource_id: params.resource_id };
  if (!(await deleteSubscription(context.db, ownerOf(context), resource))) throw notFound();
  return undefined;
}
