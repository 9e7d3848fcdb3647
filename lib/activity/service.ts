import type { Db } from "#lib/db/connect.ts";
import type { MemberContext } from "#lib/http/context.ts";
import { instant } from "#lib/http/instant.ts";
import type { ActivityChange, ActivityEntry, ActivityQuery } from "./schema.ts";
import { type ActivityFilter, insertActivity, selectActivity } from "./store.ts";

/** What is told of one act on one record. */
export type Activity = {
  project_id: number;
  /** null: the system. */
  user_id: number | null;
  scope: string;
  item_id: string;
  activity: string;
  name: string;
  changes?: ActivityChange[];
  at?: Date;
};

/** Writes the entry of an act; `db` is the transaction of the act itself, so that neither stands alone. */
export async function record(db: Db, ...acts: Activity[]): Promise<void> {
  await insertActivity(
    db,
    acts.map(({ changes, name, at, ...act }) => ({
      ...act,
      ...(at && { created_at: at }),
      detail: { changes: changes ?? [], trigger: null, type: null, name, short_id: null },
    })),
  );
}

/** The same act told in several projects: one on a key or a membership, which touches all that it opens. */
export async function recordInProjects(
  db: Db,
  projectIds: number[],
  act: Omit<Activity, "project_id">,
): Promise<void> {
  await record(db, ...projectIds.map((project_id) => ({ ...act, project_id })));
}

type Row = Awaited<ReturnType<typeof selectActivity>>["rows"][number];

const entryOf = ({ entry, first_name, email }: Row): ActivityEntry => ({
  id: entry.id,
  user:
    entry.user_id === null
      ? { first_name: "System", email: null, is_system: true }
      : { first_name: first_name ?? "", email },
  activity: entry.activity,
  scope: entry.scope,
  item_id: entry.item_id,
  detail: entry.detail as ActivityEntry["detail"],
  created_at: instant(entry.created_at),
});

/** A page of entries, newest first; a page past the end is empty. */
export async function activityPageOf(
  context: MemberContext,
  filter: Omit<ActivityFilter, "project_id">,
  query: ActivityQuery,
) {
  const { rows, count } = await selectActivity(
    context.db,
    { ...filter, project_id: context.project.id },
    { limit: query.limit, offset: (query.page - 1) * query.limit },
  );
  const at = (page: number) => {
    const url = new URL(context.url);
    url.searchParams.set("page", String(page));
    return url.href;
  };
  return {
    results: rows.map(entryOf),
    next: query.page * query.limit < count ? at(query.page + 1) : null,
    previous: query.page > 1 ? at(query.page - 1) : null,
    total_count: count,
  };
}
