import type { MemberContext } from "#lib/flags/context.ts";
import { userOf } from "#lib/identity/accounts/schema.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { invalid, notFound } from "#lib/platform/http/errors.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import { SAVED_VIEWS_MAX, type savedViewContract } from "./contract.ts";
import type { SavedView } from "./schema.ts";
import {
  countSavedViews,
  deleteSavedView,
  insertSavedView,
  type SavedViewRow,
  selectSavedView,
  selectSavedViews,
  updateSavedView,
} from "./store.ts";

type Of<Name extends keyof typeof savedViewContract> = Input<(typeof savedViewContract)[Name]>;
type Accounts = Parameters<typeof userOf>[0];

const recordOf = (row: SavedViewRow, accounts: Accounts): SavedView => ({
  id: row.id,
  name: row.name,
  query: row.query,
  created_by: userOf(accounts, row.created_by_id),
  created_at: instant(row.created_at),
  updated_at: instant(row.updated_at),
});

const answer = async ({ runtime }: MemberContext, row: SavedViewRow): Promise<SavedView> =>
  recordOf(row, await runtime.directory.current());

const nameTaken = () => invalid("There is already a view with this name.", "name", "unique");

export async function list(context: MemberContext, { query }: Of<"list">) {
  const rows = await selectSavedViews(context.db, context.project.id);
  const accounts = await context.runtime.directory.current();
  return {
    count: rows.length,
    ...neighbours(context.url, query, rows.length),
    results: rows.slice(query.offset, query.offset + query.limit).map((row) => recordOf(row, accounts)),
  };
}

export async function create(context: MemberContext, { body }: Of<"create">) {
  const { project, user, now } = context;
  if ((await countSavedViews(context.db, project.id)) >= SAVED_VIEWS_MAX)
    throw invalid(`A project can have at most ${SAVED_VIEWS_MAX} saved views.`);
  const row = await insertSavedView(context.db, {
    ...body,
    project_id: project.id,
    created_by_id: user.id,
    created_at: now,
    updated_at: now,
  });
  if (!row) throw nameTaken();
  return answer(context, row);
}

export async function retrieve(context: MemberContext, { params }: Of<"retrieve">) {
  const row = await selectSavedView(context.db, context.project.id, params.id);
  if (!row) throw notFound();
  return answer(context, row);
}

export async function partial_update(context: MemberContext, { params, body }: Of<"partial_update">) {
  const of = { project_id: context.project.id, id: params.id };
  const row = await updateSavedView(context.db, of, { ...body, updated_at: context.now });
  if (row === "taken") throw nameTaken();
  if (!row) throw notFound();
  return answer(context, row);
}

export async function destroy(context: MemberContext, { params }: Of<"destroy">) {
  if (!(await deleteSavedView(context.db, context.project.id, params.id))) throw notFound();
  return undefined;
}
