import { randomUUID } from "node:crypto";
import { z } from "zod";
import { changesBetween } from "#lib/activity/changes.ts";
import type { ActivityChange } from "#lib/activity/schema.ts";
import { record } from "#lib/activity/service.ts";
import { decrypt, encrypt } from "#lib/flags/feature_flags/filters/payloads.ts";
import { userOf } from "#lib/identity/accounts/schema.ts";
import { lockProject } from "#lib/identity/projects/store.ts";
import type { MemberContext } from "#lib/notifications/context.ts";
import { createAddressCheck } from "#lib/notifications/deliveries/addresses.ts";
import { addressIn } from "#lib/notifications/deliveries/post.ts";
import { LIFETIME_MS } from "#lib/notifications/deliveries/retries.ts";
import { send, splitAddresses } from "#lib/notifications/deliveries/send.ts";
import {
  makeSecret,
  openSecrets,
  rotateSecrets,
  sealSecrets,
  validAt,
} from "#lib/notifications/deliveries/signature.ts";
import {
  abandonDeliveries,
  countByState,
  type DestinationRow,
  insertDeliveries,
  insertMessages,
  replayDead,
} from "#lib/notifications/deliveries/store.ts";
import type { Payload } from "#lib/notifications/messages/payload-schema.ts";
import { namesOfResources } from "#lib/notifications/messages/resource-names.ts";
import { type ResourceType, TEST_TYPE } from "#lib/notifications/messages/types-schema.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { covers, requireAdmin } from "#lib/platform/http/auth.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { invalid, notFound } from "#lib/platform/http/errors.ts";
import { instant, instantOrNull } from "#lib/platform/http/instant.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import type { notificationDestinationContract } from "./contract.ts";
import type { DestinationKind, DestinationRecord, TestResult } from "./schema.ts";
import {
  countDestinations,
  deleteDestination,
  insertDestination,
  lockDestination,
  selectDestination,
  selectDestinations,
  updateDestination,
} from "./store.ts";

type Of<Name extends keyof typeof notificationDestinationContract> = Input<
  (typeof notificationDestinationContract)[Name]
>;

const DESTINATIONS_MAX = 20;
const ADDRESSES_MAX = 10;
const HOUR_MS = 3_600_000;
const SCOPE = "NotificationDestination";
const LOGGED = ["name", "address", "types", "resources", "enabled"];

const projectOf = ({ project }: MemberContext) => ({ project_id: project.id });
const keyOf = ({ runtime }: MemberContext) => runtime.settings.encryption_key;

/** The resources as they are stored, and as the API has them. */
const storedResources = (resources: readonly { type: string; id: string }[]) =>
  resources.map(({ type, id }) => `${type}/${id}`);
const readResources = (stored: readonly string[]) =>
  stored.map((each) => {
    const [type = "", id = ""] = each.split("/");
    return { type: type as ResourceType, id };
  });

/** The same with what they are called, as far as the key may read them. */
async function shownResources(context: MemberContext, stored: readonly string[]) {
  if (stored.length === 0) return [];
  const resources = readResources(stored);
  const names = await namesOfResources(
    context,
    resources.filter(({ type }) => covers(context.key, `${type}:read`)),
  );
  return resources.map(({ type, id }) => ({ type, id, name: names.get(`${type}/${id}`) ?? null }));
}

/** What is shown of an address: that of an incoming webhook for Slack is a credential. */
function shownAddress(context: MemberContext, { kind, address }: DestinationRow): string | null {
  const text = decrypt(address, keyOf(context));
  return text !== null && kind === "slack" ? `${new URL(text).origin}/…` : text;
}

/** Throws the API's error for an address that nothing can be sent to. */
function checkAddress({ runtime }: MemberContext, kind: DestinationKind, address: string): void {
  if (kind === "email") {
    const all = splitAddresses(address);
    if (all.length === 0 || all.length > ADDRESSES_MAX)
      throw invalid(`Name 1 to ${ADDRESSES_MAX} e-mail addresses.`, "address");
    const wrong = all.find((each) => !z.email().safeParse(each).success);
    if (wrong !== undefined) throw invalid(`${wrong} is not an e-mail address.`, "address");
    return;
  }
  const url = URL.canParse(address) ? new URL(address) : null;
  if (!url || !/^https?:$/.test(url.protocol)) throw invalid("An http(s) URL is needed.", "address");
  if (url.username || url.password) throw invalid("A URL with credentials cannot be used.", "address");
  const literal = addressIn(url);
  if (literal !== null && !createAddressCheck(runtime.notifications.networks)(literal))
    throw invalid(`${literal} is not on the public internet, and its network is not allowed.`, "address");
}

type Counts = { waiting: number; dead: number };

async function recordOf(
  context: MemberContext,
  row: DestinationRow,
  counts: Counts | undefined,
): Promise<DestinationRecord> {
  const accounts = await context.runtime.directory.current();
  const secrets = row.secrets === null ? null : openSecrets(row.secrets, keyOf(context));
  const previous = validAt(secrets ?? [], context.now).find(({ expires_at }) => expires_at !== null);
  return {
    id: row.id,
    kind: row.kind as DestinationKind,
    name: row.name,
    address: shownAddress(context, row),
    types: row.types as DestinationRecord["types"],
    resources: await shownResources(context, row.resources),
    enabled: row.enabled,
    failures: row.failures,
    blocked_until: instantOrNull(row.blocked_until),
    delivered_at: instantOrNull(row.delivered_at),
    waiting: counts?.waiting ?? 0,
    dead: counts?.dead ?? 0,
    previous_secret_until: previous?.expires_at ? instant(new Date(previous.expires_at)) : null,
    created_by: userOf(accounts, row.created_by_id),
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
  };
}

async function answer(context: MemberContext, row: DestinationRow): Promise<DestinationRecord> {
  return recordOf(context, row, (await countByState(context.db, context.project.id)).get(row.id));
}

const requireOwnAdmin = (context: MemberContext) => requireAdmin(context, context.project.organization_id);

export async function list(context: MemberContext, { query }: Of<"list">) {
  await requireOwnAdmin(context);
  const { rows, total } = await selectDestinations(context.db, projectOf(context), query);
  const counts = await countByState(context.db, context.project.id);
  return {
    count: total,
    ...neighbours(context.url, query, total),
    results: await Promise.all(rows.map((row) => recordOf(context, row, counts.get(row.id)))),
  };
}

async function found(context: MemberContext, id: string): Promise<DestinationRow> {
  await requireOwnAdmin(context);
  const row = await selectDestination(context.db, projectOf(context), id);
  if (!row) throw notFound();
  return row;
}

export const retrieve = async (context: MemberContext, { params }: Of<"retrieve">) =>
  answer(context, await found(context, params.id));

const note = (
  tx: Db,
  context: MemberContext,
  row: DestinationRow,
  activity: string,
  changes: ActivityChange[] = [],
) =>
  record(tx, {
    ...projectOf(context),
    user_id: context.user.id,
    scope: SCOPE,
    item_id: row.id,
    activity,
    name: row.name,
    changes,
    at: context.now,
  });

/** The fields as the log has them. */
const loggedOf = (context: MemberContext, row: DestinationRow) => ({
  ...row,
  address: shownAddress(context, row),
});

export async function create(context: MemberContext, { body }: Of<"create">) {
  await requireOwnAdmin(context);
  checkAddress(context, body.kind, body.address);
  const secret = body.kind === "webhook" ? makeSecret() : null;
  const row = await inTransaction(context.db, async (tx) => {
    await lockProject(tx, context.project.id);
    if ((await countDestinations(tx, projectOf(context))) >= DESTINATIONS_MAX)
      throw invalid(`A project has at most ${DESTINATIONS_MAX} destinations of notifications.`);
    const made = await insertDestination(tx, {
      ...body,
      ...projectOf(context),
      address: encrypt(body.address, keyOf(context)),
      resources: storedResources(body.resources),
      secrets: secret && sealSecrets([{ secret, expires_at: null }], keyOf(context)),
      created_by_id: context.user.id,
      created_at: context.now,
      updated_at: context.now,
    });
    await note(tx, context, made, "created");
    return made;
  });
  return { ...(await answer(context, row)), ...(secret && { secret }) };
}

/** Changes a destination, locked, in a transaction. */
const changing = async (
  context: MemberContext,
  id: string,
  change: (tx: Db, row: DestinationRow) => Promise<DestinationRow>,
): Promise<DestinationRow> => {
  await requireOwnAdmin(context);
  return inTransaction(context.db, async (tx) => {
    const row = await lockDestination(tx, projectOf(context), id);
    if (!row) throw notFound();
    return change(tx, row);
  });
};

export async function partial_update(context: MemberContext, { params, body }: Of<"partial_update">) {
  const row = await changing(context, params.id, async (tx, before) => {
    const { address, resources, ...rest } = body;
    if (address !== undefined) checkAddress(context, before.kind as DestinationKind, address);
    const after = await updateDestination(tx, before.id, {
      ...rest,
      ...(resources && { resources: storedResources(resources) }),
      // Another address, or one that is on again, gets its chance at once.
      ...(address !== undefined && { address: encrypt(address, keyOf(context)) }),
      ...((address !== undefined || body.enabled) && { failures: 0, blocked_until: null }),
      updated_at: context.now,
    });
    if (before.enabled && !after.enabled)
      await abandonDeliveries(tx, before.id, { now: context.now, error: "The destination was turned off." });
    const [was, is] = [loggedOf(context, before), loggedOf(context, after)];
    const changes = changesBetween(SCOPE, LOGGED, was, is);
    if (changes.length > 0) await note(tx, context, after, "updated", changes);
    return after;
  });
  return answer(context, row);
}

export async function destroy(context: MemberContext, { params }: Of<"destroy">) {
  await changing(context, params.id, async (tx, row) => {
    await deleteDestination(tx, row.id);
    await note(tx, context, row, "deleted");
    return row;
  });
  return undefined;
}

export async function rotate_secret(context: MemberContext, { params, body }: Of<"rotate_secret">) {
  const secret = makeSecret();
  const row = await changing(context, params.id, async (tx, before) => {
    if (before.secrets === null) throw invalid("Only what is sent to webhooks is signed.");
    const secrets = openSecrets(before.secrets, keyOf(context)) ?? [];
    const until = new Date(context.now.getTime() + body.overlap_hours * HOUR_MS);
    const after = await updateDestination(tx, before.id, {
      secrets: sealSecrets(rotateSecrets(secrets, secret, until), keyOf(context)),
      updated_at: context.now,
    });
    await note(tx, context, after, "updated", [
      { type: SCOPE, action: "changed", field: "secret", before: null, after: null },
    ]);
    return after;
  });
  return { ...(await answer(context, row)), secret };
}

/** What a test sends. */
function testPayload({ project, user, runtime, now }: MemberContext): Payload {
  const name = `${user.first_name} ${user.last_name}`.trim() || user.email;
  return {
    type: TEST_TYPE,
    timestamp: instant(now),
    data: {
      title: `${name} sent a test`,
      detail: "Nothing has happened. Notifications will arrive like this.",
      project: { id: project.id, name: project.name },
      actor: { id: user.id, name, email: user.email },
      resource: { type: "project", id: String(project.id), name: project.name },
      action: "tested",
      changes: [],
      link: `${runtime.notifications.public_url}/project/${project.id}/settings/notifications`,
    },
  };
}

export async function test(context: MemberContext, { params }: Of<"test">): Promise<TestResult> {
  const row = await found(context, params.id);
  const { db, project, now } = context;
  const payload = testPayload(context);
  const message = { id: randomUUID(), project_id: project.id, type: TEST_TYPE, payload, created_at: now };
  const attempt = await send(context, row, { id: `msg_${message.id}`, payloads: [payload], now });
  const { outcome, answer: got, error } = attempt;
  const delivered = outcome === "delivered";
  await inTransaction(db, async (tx) => {
    await insertMessages(tx, [message]);
    await insertDeliveries(tx, [
      {
        project_id: project.id,
        destination_id: row.id,
        message_id: message.id,
        state: delivered ? "delivered" : "dead",
        attempts: 1,
        next_at: now,
        expires_at: now,
        attempted_at: now,
        response_status: got?.status ?? null,
        response_body: got?.body ?? null,
        error,
        ended_at: now,
        created_at: now,
      },
    ]);
  });
  return {
    delivered,
    response_status: got?.status ?? null,
    response_body: got?.body ?? null,
    error,
  };
}

export async function replay(context: MemberContext, { params }: Of<"replay">) {
  const row = await found(context, params.id);
  if (!row.enabled) throw invalid("The destination is turned off.");
  const expires_at = new Date(context.now.getTime() + LIFETIME_MS);
  const of = { ...projectOf(context), destination_id: row.id };
  return {
    replayed: await inTransaction(context.db, (tx) => replayDead(tx, of, { now: context.now, expires_at })),
  };
}
