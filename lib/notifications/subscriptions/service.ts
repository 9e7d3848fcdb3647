import { z } from "zod";
import { selectExperiment } from "#lib/experiments/experiments/store.ts";
import { lockProject } from "#lib/identity/projects/store.ts";
import type { MemberContext } from "#lib/notifications/context.ts";
import { ensurePerson } from "#lib/notifications/destinations/store.ts";
import type { ResourceType } from "#lib/notifications/messages/types-schema.ts";
import { inTransaction } from "#lib/platform/db/connect.ts";
import { covers } from "#lib/platform/http/auth.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { invalid, notFound } from "#lib/platform/http/errors.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import { DATABASE_INTEGER_MAX } from "#lib/platform/http/params.ts";
import { selectSurvey } from "#lib/surveys/surveys/store.ts";
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

const numberIn = (id: string): number | null => {
  const value = /^\d{1,10}$/.test(id) ? Number(id) : null;
  return value !== null && value <= DATABASE_INTEGER_MAX ? value : null;
};

/** How each kind of resource is called; null where the project has none with that id. */
const NAMES: Record<ResourceType, (context: MemberContext, id: string) => Promise<string | null>> = {
  feature_flag: async ({ runtime, project }, id) => {
    const flag = (await runtime.flags.project(project.id)).byId.get(Number(id));
    return flag && !flag.deleted ? flag.key : null;
  },
  experiment: async ({ db, project }, id) => {
    const number = numberIn(id);
    const row = number === null ? null : await selectExperiment(db, project.id, number);
    return row && !row.deleted ? row.name : null;
  },
  survey: async ({ db, project }, id) =>
    z.uuid().safeParse(id).success ? ((await selectSurvey(db, project.id, id))?.name ?? null) : null,
};

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
  const results: SubscriptionRecord[] = [];
  for (const row of rows) {
    const name = await NAMES[row.resource_type](context, row.resource_id);
    results.push(recordOf(context, row, name ?? `${row.resource_id} (deleted)`));
  }
  return {
    count: total,
    ...neighbours(url, query, total),
    results,
    email: user.email,
    can_send: runtime.notifications.mailer !== null,
  };
}

export async function create(context: MemberContext, { body }: Of<"create">) {
  const { resource_type, resource_id, digest } = body;
  const name = await NAMES[resource_type](context, resource_id);
  if (name === null) throw invalid("The project has none with this id.", "resource_id", "does_not_exist");
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
