import type { Runtime, Work } from "#lib/notifications/context.ts";
import { selectProjectsWithDestinations, selectRecipients } from "#lib/notifications/destinations/store.ts";
import type { InboxItem } from "#lib/notifications/inbox/item.ts";
import {
  deleteAnnouncementsExcept,
  LOOKED_AT,
  lockAnnouncements,
  replaceAnnouncements,
  selectAnnouncements,
} from "#lib/notifications/inbox/store.ts";
import type { NotificationType } from "#lib/notifications/messages/types-schema.ts";
import { inTransaction } from "#lib/platform/db/connect.ts";
import type { JobContext } from "#lib/platform/jobs/work.ts";
import { enqueueMessages } from "./enqueue.ts";
import { messageOfItem } from "./messages.ts";

/** Items of one kind of which destinations are notified. */
const LIMIT = 200;

type Announced = InboxItem & { type: NotificationType };

const isAnnounced = (item: InboxItem): item is Announced => item.type !== undefined;

/** What needs attention in a project, whoever looks. */
async function findItems({ runtime, db }: Work, projectId: number, now: Date): Promise<Announced[]> {
  const project = (await runtime.directory.current()).projects.get(projectId);
  if (!project) return [];
  const asking = { runtime, db, project, user: null, key: null, now, limit: LIMIT };
  const found: InboxItem[] = [];
  for (const { find } of runtime.notifications.inbox) found.push(...(await find(asking)));
  return found.filter(isAnnounced);
}

/** Notifies of what needs attention in a project and did not, or not so, when it was last looked at. */
async function announce(work: Work, projectId: number, now: Date): Promise<void> {
  const project = (await work.runtime.directory.current()).projects.get(projectId);
  if (!project) return;
  const items = await findItems(work, projectId, now);
  await inTransaction(work.db, async (tx) => {
    await lockAnnouncements(tx, projectId);
    const before = await selectAnnouncements(tx, projectId);
    // What is there already when the first destination is made has been there before, and nobody waits for it.
    const changed = before.has(LOOKED_AT)
      ? items.filter(({ key, version }) => before.get(key) !== version)
      : [];
    const recipients = await selectRecipients(tx, projectId);
    const messages = changed.map((item) => messageOfItem(work, project, item, now));
    await enqueueMessages(tx, messages, recipients, { timezone: project.timezone, now });
    await replaceAnnouncements(tx, projectId, [
      { item: LOOKED_AT, version: "" },
      ...items.map(({ key, version }) => ({ item: key, version })),
    ]);
  });
}

/** The same in all projects of which somebody wants to be notified. */
export async function announceItems(job: JobContext<unknown, Runtime>, now: Date): Promise<void> {
  const projects = await selectProjectsWithDestinations(job.db);
  await deleteAnnouncementsExcept(job.db, projects);
  await job.each(projects, String, (id) => announce(job, id, now));
}
