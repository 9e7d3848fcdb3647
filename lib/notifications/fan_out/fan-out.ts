import { deleteOutbox, lockOutbox, type OutboxEntry } from "#lib/activity/store.ts";
import { selectWrittenBy } from "#lib/approvals/change_requests/store.ts";
import type { Work } from "#lib/notifications/context.ts";
import { selectRecipients } from "#lib/notifications/destinations/store.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { enqueueMessages } from "./enqueue.ts";
import { type Message, messageOfEntry, typeOf } from "./messages.ts";

const BATCH = 200;

type Entry = NonNullable<OutboxEntry["entry"]>;

/** Flags that surveys make for themselves change with them. */
async function isOwned({ runtime }: Pick<Work, "runtime">, entry: Entry): Promise<boolean> {
  if (entry.scope !== "FeatureFlag") return false;
  const { byId } = await runtime.flags.project(entry.project_id);
  return byId.get(Number(entry.item_id))?.creation_context === "surveys";
}

/** Puts the messages about entries of one project in line. */
async function announce(work: Work, tx: Db, projectId: number, entries: readonly Entry[], now: Date) {
  const { projects } = await work.runtime.directory.current();
  const project = projects.get(projectId);
  const recipients = await selectRecipients(tx, projectId);
  if (!project || recipients.destinations.length === 0) return;
  const requests = entries.filter(({ scope }) => scope === "ChangeRequest").map(({ item_id }) => item_id);
  const written = await selectWrittenBy(tx, projectId, requests);
  const messages: Message[] = [];
  for (const entry of entries) {
    const type = typeOf(entry);
    if (type === null || (await isOwned(work, entry))) continue;
    const concerns = written.get(entry.item_id) ?? [];
    messages.push(await messageOfEntry(work, project, entry, { type, concerns }));
  }
  await enqueueMessages(tx, messages, recipients, { timezone: project.timezone, now });
}

/**
 * Takes what has happened out of the outbox, and puts it in line for destinations: both or neither, so that nothing is
 * lost or doubled whenever a process ends.
 */
export async function fanOut(work: Work, now: Date): Promise<void> {
  for (;;) {
    const taken = await inTransaction(work.db, async (tx) => {
      const rows = await lockOutbox(tx, BATCH);
      const entries = rows.flatMap(({ entry }) => (entry ? [entry] : []));
      for (const [projectId, of] of Map.groupBy(entries, ({ project_id }) => project_id))
        await announce(work, tx, projectId, of, now);
      if (rows.length > 0)
        await deleteOutbox(
          tx,
          rows.map(({ outbox_id }) => outbox_id),
        );
      return rows.length;
    });
    if (taken < BATCH) return;
  }
}
