import { record } from "#lib/activity/service.ts";
import type { Json } from "#lib/engines/json.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import { renameFlagInDashboards } from "#lib/flags/dashboards/service.ts";
import { normalizePayloads } from "#lib/flags/feature_flags/filters/payloads.ts";
import { readFlag } from "#lib/flags/feature_flags/filters/stored.ts";
import { conflictingFields, flagChanges } from "#lib/flags/feature_flags/history/changes.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { publish } from "#lib/platform/db/notify.ts";

import type { Input } from "#lib/platform/http/contract.ts";
import { conflict, invalid, notFound } from "#lib/platform/http/errors.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import { FLAGS_TOPIC, type Flag } from "./cache.ts";
import type { flagContract } from "./contract.ts";
import { findDependentsProblem } from "./deletion.ts";
import { resolveKeyAfter } from "./experiment-links.ts";
import { filterFlags } from "./list.ts";
import { readViewer, recordText } from "./record.ts";
import type { FlagUpdate } from "./schema.ts";
import { type FlagInsert, type FlagRow, lockFlag, selectFlags, updateFlag } from "./store.ts";
import { act, checkSave, releaseKey, sealed } from "./writing.ts";

export { create } from "./create.ts";

type Of<Name extends keyof typeof flagContract> = Input<(typeof flagContract)[Name]>;

const jsonText = (text: string, status = 200) =>
  new Response(text, { status, headers: { "content-type": "application/json" } });

/** The flag of a path, deleted ones too; 404 for another project's. */
export async function flagOf(context: Pick<MemberContext, "runtime" | "project">, id: number): Promise<Flag> {
  const flag = (await context.runtime.flags.project(context.project.id)).byId.get(id);
  if (!flag) throw notFound();
  return flag;
}

export async function list(context: MemberContext, { query }: Of<"list">) {
  const { live } = await context.runtime.flags.project(context.project.id);
  const viewer = await readViewer(context);
  const found = filterFlags(live, query, context.now);
  const texts = found.slice(query.offset, query.offset + query.limit).map((flag) => recordText(flag, viewer));
  const { next, previous } = neighbours(context.url, query, found.length);
  return jsonText(
    `{"count":${found.length},"next":${JSON.stringify(next)},"previous":${JSON.stringify(previous)},"results":[${texts.join(",")}]}`,
  );
}

export async function retrieve(context: MemberContext, { params }: Of<"retrieve">) {
  return jsonText(recordText(await flagOf(context, params.id), await readViewer(context)));
}

/** Runs a change of flags in a transaction; other processes and this one's cache learn of it. */
async function changing<T extends { id: number }>(
  context: MemberContext,
  change: (tx: Db) => Promise<{ flag: T; also?: number[] }>,
): Promise<T> {
  const projectId = context.project.id;
  const { flag, also = [] } = await inTransaction(context.db, async (tx) => {
    const done = await change(tx);
    await publish(tx, FLAGS_TOPIC, { project_id: projectId, ids: [done.flag.id, ...(done.also ?? [])] });
    return done;
  });
  context.runtime.flags.changed(projectId, [flag.id, ...also]);
  return flag;
}

async function checkDeletable(tx: Db, context: MemberContext, row: FlagRow): Promise<void> {
  const problem = findDependentsProblem(row.id, await selectFlags(tx, context.project.id, null));
  if (problem) throw invalid(problem);
}

function checkConflict(row: FlagRow, body: FlagUpdate, lastEditor: string): void {
  const fields = conflictingFields(row, body);
  if (fields.length > 0)
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
const replacesFilters = ({ filters }: FlagUpdate) => filters !== undefined && "groups" in filters;

/** The columns that an update sets; payloads are still readable in them. */
function updatedValues(
  context: MemberContext,
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

async function change(context: MemberContext, id: number, body: FlagUpdate): Promise<Response> {
  const { runtime, project } = context;
  await changing(context, async (tx) => {
    const concerns = replacesFilters(body) || body.key !== undefined;
    const follow = concerns ? await runtime.followFlag(tx, context, id) : null;
    const locked = await lockFlag(tx, project.id, id);
    if (!locked) throw notFound();
    const row = readFlag(locked, runtime.settings.encryption_key);
    const { users } = await runtime.directory.current();
    checkConflict(row, body, users.get(row.last_modified_by_id ?? 0)?.email ?? "somebody else");
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
    const encrypted = values.has_encrypted_payloads ?? row.has_encrypted_payloads;
    // What is not changed stays as it is stored, also where it cannot be read.
    const rewritten = filters !== null || encrypted !== row.has_encrypted_payloads;
    const saved = await updateFlag(tx, id, {
      ...values,
      ...(!renamed && freed !== undefined && { key: freed }),
      filters: rewritten ? sealed(context, values.filters, encrypted, locked) : locked.filters,
    });
    if (renamed) await renameFlagInDashboards(tx, project.id, row.key, saved.key);
    await follow?.({ key: saved.key, filters: values.filters });
    const changes = flagChanges(row, { ...saved, filters: values.filters });
    await record(tx, { ...act(context, saved, "updated"), changes });
    return { flag: saved, also };
  });
  return jsonText(recordText(await flagOf(context, id), await readViewer(context)));
}

export const partial_update = (context: MemberContext, { params, body }: Of<"partial_update">) =>
  change(context, params.id, body);

export const update = (context: MemberContext, { params, body }: Of<"update">) =>
  change(context, params.id, body);

/** Flags are soft-deleted: the response is the same for every id. */
export const destroy = () => new Response(null, { status: 405 });
