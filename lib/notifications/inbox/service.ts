import type { MemberContext } from "#lib/notifications/context.ts";
import { inTransaction } from "#lib/platform/db/connect.ts";
import { covers, isAdmin } from "#lib/platform/http/auth.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { instant } from "#lib/platform/http/instant.ts";
import type { inboxContract } from "./contract.ts";
import type { Contributor, InboxItem } from "./item.ts";
import { type Inbox, URGENCIES } from "./schema.ts";
import { deleteDismissals, insertDismissal, selectDismissals } from "./store.ts";

type Of<Name extends keyof typeof inboxContract> = Input<(typeof inboxContract)[Name]>;

/** Items of one kind that an inbox shows. */
const LIMIT = 50;
const DISMISSALS_MAX = 2_000;

const ownerOf = ({ project, user }: MemberContext) => ({ project_id: project.id, user_id: user.id });

const byUrgency = (a: InboxItem, b: InboxItem): number =>
  URGENCIES.indexOf(a.urgency) - URGENCIES.indexOf(b.urgency) ||
  b.since.getTime() - a.since.getTime() ||
  (a.key < b.key ? -1 : 1);

export async function retrieve(context: MemberContext): Promise<Inbox> {
  const { runtime, db, project, user, key, now } = context;
  const admin = await isAdmin(context, project.organization_id);
  const isShown = ({ scope, administrators }: Contributor) =>
    covers(key, scope) && (admin || !administrators);
  const asking = { runtime, db, project, user, key, now, limit: LIMIT + 1 };
  const [dismissed, ...found] = await Promise.all([
    selectDismissals(db, ownerOf(context)),
    ...runtime.notifications.inbox.filter(isShown).map(({ find }) => find(asking)),
  ]);
  const all = found.flatMap((items) => items.slice(0, LIMIT));
  const open = all.filter(({ key: name, version }) => dismissed.get(name) !== version);
  return {
    items: open.sort(byUrgency).map(({ since, type: _, resource = null, ...item }) => ({
      ...item,
      resource,
      since: instant(since),
    })),
    set_aside: all.length - open.length,
    complete: found.every((items) => items.length <= LIMIT),
  };
}

export async function dismiss(context: MemberContext, { body }: Of<"dismiss">) {
  const { key, version } = body;
  const values = { ...ownerOf(context), item: key, version, created_at: context.now, most: DISMISSALS_MAX };
  await inTransaction(context.db, (tx) => insertDismissal(tx, values));
  return undefined;
}

export async function restore(context: MemberContext) {
  await deleteDismissals(context.db, ownerOf(context));
  return undefined;
}
