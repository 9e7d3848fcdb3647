import { authorOf, detailOf, type Trigger } from "#lib/activity/service.ts";
import type { Json } from "#lib/engines/json.ts";
import type { MemberContext, SavingContext } from "#lib/flags/context.ts";
import { renameFlagInDashboards, usageDashboardOf } from "#lib/flags/dashboards/service.ts";
import { dependenciesOf } from "#lib/flags/feature_flags/filters/filters.ts";
import { normalizePayloads } from "#lib/flags/feature_flags/filters/payloads.ts";
import { readFlag } from "#lib/flags/feature_flags/filters/stored.ts";
import { conflictingFields, flagChanges, flagEntry } from "#lib/flags/feature_flags/history/changes.ts";
import { areCommitsChecked } from "#lib/platform/db/commit-check.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { publish } from "#lib/platform/db/notify.ts";
import { initialValues } from "#lib/platform/fields-schema.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { conflict, invalid, notFound } from "#lib/platform/http/errors.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import { FLAGS_TOPIC, type Flag } from "./cache.ts";
import type { flagContract } from "./contract.ts";
import { findDependentsProblem, resolveKeyAfter } from "./deletion.ts";
import { filterFlags } from "./list.ts";
import { readViewer, recordBytes, recordOf } from "./record.ts";
import { checkSave, keyTaken, releaseKey, sealed, storableMoment } from "./rules.ts";
import { FLAG_FIELDS, type FlagCreate, type FlagUpdate } from "./schema.ts";
import {
  type FlagInsert,
  type FlagRow,
  insertFlagWhole,
  lockFlag,
  selectFlags,
  updateFlagOfVersion,
  updateFlagWhole,
} from "./store.ts";

type Of<Name extends keyof typeof flagContract> = Input<(typeof flagContract)[Name]>;

const jsonBytes = (bytes: Buffer, status = 200) =>
  new Response(bytes as Uint8Array<ArrayBuffer>, { status, headers: { "content-type": "application/json" } });

/** The flag of a path, deleted ones too; 404 for another project's. */
export async function flagOf(context: Pick<MemberContext, "runtime" | "project">, id: number): Promise<Flag> {
  const flag = (await context.runtime.flags.project(context.project.id)).byId.get(id);
  if (!flag) throw notFound();
  return flag;
}

const COMMA = Buffer.from(",");

export async function list(context: MemberContext, { query }: Of<"list">) {
  const { live } = await context.runtime.flags.project(context.project.id);
  const viewer = await readViewer(context);
  const found = filterFlags(live, query, context.now);
  const page = found.slice(query.offset, query.offset + query.limit);
  const { next, previous } = neighbours(context.url, query, found.length);
  const head = `{"count":${found.length},"next":${JSON.stringify(next)},"previous":${JSON.stringify(previous)},"results":[`;
  const records = page.flatMap((flag) => [COMMA, recordBytes(flag, viewer)]).slice(1);
  return jsonBytes(Buffer.concat([Buffer.from(head), ...records, Buffer.from("]}")]));
}

export async function retrieve(context: MemberContext, { params }: Of<"retrieve">) {
  return jsonBytes(recordBytes(await flagOf(context, params.id), await readViewer(context)));
}

/** Filters of a flag created without any. */
const EVERYONE = { groups: [{ properties: [], rollout_percentage: null }] };

type NewRow = Omit<FlagRow, "id" | "usage_dashboard_id">;

function rowOf(context: MemberContext, body: FlagCreate): NewRow {
  const { _create_in_folder, _should_create_usage_dashboard, version: _, created_at, ...fields } = body;
  return {
    ...initialValues(FLAG_FIELDS),
    ...fields,
    pins: [],
    project_id: context.project.id,
    filters: normalizePayloads(body.filters ?? EVERYONE, null),
    performed_rollback: body.active ? false : (body.performed_rollback ?? null),
    rollback_conditions: body.rollback_conditions ?? null,
    created_by_id: context.user.id,
    last_modified_by_id: context.user.id,
    created_at: created_at ? storableMoment(created_at, "created_at") : context.now,
    updated_at: context.now,
  };
}

/** Checks and writes; null where the key is taken. */
async function attempt(db: Db, context: MemberContext, body: FlagCreate, row: NewRow) {
  const { filters = null } = body;
  await checkSave(db, context, body, { id: null, key: body.key, filters, tags: row.tags });
  const dashboard = usageDashboardOf({
    project_id: row.project_id,
    feature_flag_key: row.key,
    created_by_id: context.user.id,
  });
  const entry = flagEntry(authorOf(context), { id: 0, key: row.key }, "created");
  return insertFlagWhole(db, {
    flag: { ...row, filters: sealed(context, row.filters, row.has_encrypted_payloads, null) },
    dashboard: body._should_create_usage_dashboard === false ? null : dashboard,
    entry: { ...entry, detail: detailOf(entry.name, []), created_at: context.now },
    topic: FLAGS_TOPIC,
  });
}

export async function create(context: MemberContext, { body }: Of<"create">) {
  const { db, runtime, project } = context;
  const row = rowOf(context, body);
  // Dependencies are checked under a lock, which lasts as long as a transaction.
  const depends = body.filters !== undefined && dependenciesOf(body.filters).length > 0;
  const first =
    depends || areCommitsChecked()
      ? await inTransaction(db, (tx) => attempt(tx, context, body, row))
      : await attempt(db, context, body, row);
  const made = first ?? (await createOverDeleted(context, body, row));
  runtime.flags.changed(project.id, [made.id]);
  const flag = {
    ...row,
    ...made,
    surveys: [],
    targets_survey: false,
    experiment_set: [],
    unreadable_fields: [],
  };
  return jsonBytes(Buffer.from(JSON.stringify(recordOf(flag, await readViewer(context)))), 201);
}

/** The key is taken: a deleted flag gives it up, a live one keeps it. */
async function createOverDeleted(context: MemberContext, body: FlagCreate, row: NewRow) {
  const { db, runtime, project } = context;
  const { made, released } = await inTransaction(db, (tx) => createIn(tx, context, body, row));
  runtime.flags.changed(project.id, released);
  return made;
}

/**
 * Creates a flag in a transaction; its caller tells the cache of it, and of the deleted flag that gave its key up.
 *
 * @throws ApiError 400 for what cannot be saved
 */
export async function createIn(
  tx: Db,
  context: MemberContext,
  body: FlagCreate,
  row: NewRow = rowOf(context, body),
) {
  const released = await releaseKey(tx, context, body.key, null);
  const made = await attempt(tx, context, body, row);
  if (!made) throw keyTaken();
  if (released.length > 0) await publish(tx, FLAGS_TOPIC, { project_id: context.project.id, ids: released });
  return { made, released };
}

async function checkDeletable(tx: Db, context: SavingContext, row: FlagRow): Promise<void> {
  const problem = findDependentsProblem(row.id, await selectFlags(tx, context.project.id, null));
  if (problem) throw invalid(problem);
}

async function checkConflict({ runtime }: SavingContext, row: FlagRow, body: FlagUpdate): Promise<void> {
  const fields = conflictingFields(row, body);
  if (fields.length === 0) return;
  const { users } = await runtime.directory.current();
  const lastEditor = users.get(row.last_modified_by_id ?? 0)?.email ?? "somebody else";
  throw conflict(
    `The feature flag was updated by ${lastEditor} since you started editing it (${fields.join(", ")}). Please refresh and try again.`,
  );
}

/** Enrolment is a person property named after the flag: it follows a new key. */
function renameEnrollment(filters: Json, from: string, to: string): Json {
  if (!Array.isArray(filters.super_groups)) return filters;
  const text = JSON.stringify(filters.super_groups);
  const [old, next] = [
    JSON.stringify(`$feature_enrollment/${from}`),
    JSON.stringify(`$feature_enrollment/${to}`),
  ];
  return text.includes(old) ? { ...filters, super_groups: JSON.parse(text.replaceAll(old, next)) } : filters;
}

/** Filters without condition sets are no filters: the stored ones stay, as clients of the public service expect. */
export const replacesFilters = ({ filters }: Pick<FlagUpdate, "filters">) =>
  filters !== undefined && "groups" in filters;

/** The columns that an update sets; payloads are still readable in them. */
function updatedValues(
  context: SavingContext,
  row: FlagRow,
  body: FlagUpdate,
): Partial<FlagInsert> & { filters: Json } {
  const { version: _version, original_flag: _original, created_at, filters, ...rest } = body;
  const { _create_in_folder, _should_create_usage_dashboard, ...fields } = rest;
  const next = filters && replacesFilters(body) ? normalizePayloads(filters, row.filters) : row.filters;
  return {
    ...fields,
    ...(created_at && { created_at: new Date(created_at) }),
    ...(body.active && { performed_rollback: false }),
    filters: body.key && body.key !== row.key ? renameEnrollment(next, row.key, body.key) : next,
    version: row.version + 1,
    updated_at: context.now,
    last_modified_by_id: context.user.id,
  };
}

/** The entry of the activity log on an update. */
function updateEntry(context: SavingContext, before: FlagRow, after: FlagRow, trigger?: Trigger) {
  const entry = flagEntry(authorOf(context), after, "updated");
  return {
    ...entry,
    detail: detailOf(entry.name, flagChanges(before, after), trigger),
    created_at: context.now,
  };
}

/** The flag has another version than the one that an update was made for: it has to be made again. */
export class FlagMoved extends Error {
  override name = "FlagMoved";
}

/**
 * Writes an update of a flag; its row as it is stored then, and the other flags that changed with it.
 *
 * @param options.version the version that the update was made for
 * @param options.trigger what makes the update in the caller's name, for the activity log
 * @throws FlagMoved where the flag has another version
 */
export async function changeIn(
  tx: Db,
  context: SavingContext,
  id: number,
  body: FlagUpdate,
  { version, trigger }: { version?: number; trigger?: Trigger } = {},
) {
  const { runtime, project } = context;
  const concerns = replacesFilters(body) || body.key !== undefined;
  const follow = concerns ? await runtime.followFlag(tx, context, id) : null;
  const locked = await lockFlag(tx, project.id, id);
  if (!locked) throw notFound();
  if (version !== undefined && locked.version !== version) throw new FlagMoved();
  const row = readFlag(locked, runtime.settings.encryption_key);
  await checkConflict(context, row, body);
  const values = updatedValues(context, row, body);
  const filters = values.filters === row.filters ? null : values.filters;
  await checkSave(tx, context, body, {
    id,
    key: body.key ?? row.key,
    filters,
    tags: body.tags ?? row.tags,
  });
  if (body.deleted && !row.deleted) await checkDeletable(tx, context, row);
  const freed = await resolveKeyAfter(tx, row, body.deleted);
  const renamed = body.key !== undefined && body.key !== row.key;
  const also = renamed ? await releaseKey(tx, context, body.key ?? row.key, id) : [];
  const next = { ...row, ...values, ...(!renamed && freed !== undefined && { key: freed }) };
  const encrypted = next.has_encrypted_payloads;
  // What is not changed stays as it is stored, also where it cannot be read.
  const rewritten = filters !== null || encrypted !== row.has_encrypted_payloads;
  const saved = await updateFlagWhole(tx, id, {
    values: {
      ...values,
      key: next.key,
      filters: rewritten ? sealed(context, values.filters, encrypted, locked) : locked.filters,
    },
    entry: updateEntry(context, row, next, trigger),
    topic: FLAGS_TOPIC,
    message: { project_id: project.id, ids: [id, ...also] },
  });
  if (renamed) await renameFlagInDashboards(tx, project.id, row.key, saved.key);
  await follow?.({ key: saved.key, filters: values.filters });
  return { saved, also };
}

/**
 * Whether an update concerns the row of its flag alone: not what it targets, not what others call it by, and nothing that is
 * checked against what else is stored of it.
 */
const staysInRow = (row: FlagRow, body: FlagUpdate): boolean =>
  !replacesFilters(body) &&
  body.key === undefined &&
  body.deleted === undefined &&
  body.evaluation_tags === undefined &&
  !(body.has_encrypted_payloads || row.has_encrypted_payloads);

/**
 * Writes an update that concerns the row alone without locking it first: a statement instead of a transaction of four.
 *
 * @returns null where the flag has changed since it was last read here, or since somebody began to edit it
 */
async function changeRow(context: MemberContext, row: Flag, body: FlagUpdate) {
  const { db, project } = context;
  if (conflictingFields(row, body).length > 0) return null;
  const { filters, ...values } = updatedValues(context, row, body);
  await checkSave(db, context, body, {
    id: row.id,
    key: row.key,
    filters: null,
    tags: body.tags ?? row.tags,
  });
  const saved = await updateFlagOfVersion(db, row, {
    values,
    entry: updateEntry(context, row, { ...row, ...values, filters }),
    topic: FLAGS_TOPIC,
    message: { project_id: project.id, ids: [row.id] },
  });
  return saved && { saved, also: [] };
}

async function change(context: MemberContext, id: number, body: FlagUpdate): Promise<Response> {
  const { runtime, project } = context;
  const known = (await runtime.flags.project(project.id)).byId.get(id);
  const isQuick = known && staysInRow(known, body) && !areCommitsChecked();
  const { saved, also } =
    (isQuick && (await changeRow(context, known, body))) ||
    (await inTransaction(context.db, (tx) => changeIn(tx, context, id, body)));
  runtime.flags.changed(project.id, [id, ...also]);
  // Not read again: every process does that before the change is answered, this one at the same time.
  const flag = known
    ? { ...known, ...readFlag(saved, runtime.settings.encryption_key) }
    : await flagOf(context, id);
  return jsonBytes(recordBytes(flag, await readViewer(context)));
}

export const partial_update = (context: MemberContext, { params, body }: Of<"partial_update">) =>
  change(context, params.id, body);

export const update = (context: MemberContext, { params, body }: Of<"update">) =>
  change(context, params.id, body);

/** Flags are soft-deleted: the response is the same for every id. */
export const destroy = () => new Response(null, { status: 405 });
