import type { Db } from "#lib/platform/db/connect.ts";
import { isAdmin } from "#lib/platform/http/auth.ts";
import type { MemberContext } from "#lib/platform/http/context.ts";
import { instant } from "#lib/platform/http/instant.ts";
import type {
  ActivityChange,
  ActivityEntry,
  ActivityFilters,
  ActivityLogQuery,
  ActivityQuery,
} from "./schema.ts";
import { type ActivityFilter, insertActivity, selectActivity, selectOccurring } from "./store.ts";

/** The log entry of one action on one record. */
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

/** Who changes records of a project, and when; user_id null: the system. */
export type Author = Pick<Activity, "project_id" | "user_id"> & { now: Date };

export const authorOf = ({
  project,
  user,
  now,
}: Pick<MemberContext, "project" | "user" | "now">): Author => ({
  project_id: project.id,
  user_id: user.id,
  now,
});

/** What made a change in somebody's name. */
export type Trigger = { job_type: string; job_id: string; payload: Record<string, unknown> };

/** An entry's detail, as it is stored. */
export const detailOf = (name: string, changes: ActivityChange[], trigger: Trigger | null = null) => ({
  changes,
  trigger,
  type: null,
  name,
  short_id: null,
});

/** Writes the entry of an action; `db` is the transaction of the action itself, so that both or neither are stored. */
export async function record(db: Db, ...acts: Activity[]): Promise<void> {
  await insertActivity(
    db,
    acts.map(({ changes, name, at, ...act }) => ({
      ...act,
      ...(at && { created_at: at }),
      detail: detailOf(name, changes ?? []),
    })),
  );
}

/** The same action logged in several projects: one on a key or a membership affects all projects it gives access to. */
export async function recordInProjects(
  db: Db,
  projectIds: number[],
  act: Omit<Activity, "project_id">,
): Promise<void> {
  await record(db, ...projectIds.map((project_id) => ({ ...act, project_id })));
}

type Row = Awaited<ReturnType<typeof selectActivity>>["rows"][number];

export const entryOf = ({ entry, first_name, email }: Row): ActivityEntry => ({
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
export async function readActivityPage(
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

/** Of key changes, people who administer nothing see only their own. */
const visibleTo = async (context: MemberContext): Promise<Pick<ActivityFilter, "keys_only_by">> =>
  (await isAdmin(context, context.project.organization_id)) ? {} : { keys_only_by: context.user.id };

/** Nobody has this number: what names no person narrows the log down to nothing. */
const NOBODY = -1;

async function userNamed({ runtime }: MemberContext, named: string): Promise<number> {
  const { users } = await runtime.directory.current();
  const wanted = named.toLowerCase();
  const found = [...users.values()].find(
    (user) => String(user.id) === wanted || user.uuid === wanted || user.email.toLowerCase() === wanted,
  );
  return found?.id ?? NOBODY;
}

/** Everything that happened in a project, newest first. */
export async function list(context: MemberContext, { query }: { query: ActivityLogQuery }) {
  const kinds = [query.scope ?? "", ...(query.scopes ?? "").split(",")].map((s) => s.trim()).filter(Boolean);
  const filter = {
    ...(await visibleTo(context)),
    scopes: kinds.length > 0 ? kinds : undefined,
    item_id: query.item_id,
    user_id: query.user ? await userNamed(context, query.user) : undefined,
    activity: query.activity,
    from: query.date_from,
    to: query.date_to,
    search: query.search,
    exclude_name_prefix: query.exclude_name_prefix,
  };
  return readActivityPage(context, filter, query);
}

/** What the log of a project can be narrowed down to. */
export async function available_filters(context: MemberContext): Promise<ActivityFilters> {
  const [rows, { users }] = await Promise.all([
    visibleTo(context).then((visible) =>
      selectOccurring(context.db, { ...visible, project_id: context.project.id }),
    ),
    context.runtime.directory.current(),
  ]);
  const people = [...new Set(rows.map((row) => row.user_id))].flatMap((id) =>
    id === null ? [] : (users.get(id) ?? []),
  );
  return {
    scopes: [...new Set(rows.map((row) => row.scope))].sort(),
    activities: [...new Set(rows.map((row) => row.activity))].sort(),
    users: people
      .sort((a, b) => a.id - b.id)
      .map(({ id, uuid, first_name, last_name, email }) => ({ id, uuid, first_name, last_name, email })),
  };
}
