import { detailOf } from "#lib/activity/service.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import { usageDashboardOf } from "#lib/flags/dashboards/service.ts";
import { dependenciesOf } from "#lib/flags/feature_flags/filters/filters.ts";
import { normalizePayloads } from "#lib/flags/feature_flags/filters/payloads.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { publish } from "#lib/platform/db/notify.ts";

import type { Input } from "#lib/platform/http/contract.ts";
import { initialValues } from "#lib/platform/http/fields-schema.ts";
import { FLAGS_TOPIC } from "./cache.ts";
import type { flagContract } from "./contract.ts";
import { insertFlagWhole } from "./create-store.ts";
import { readViewer, recordOf } from "./record.ts";
import { FLAG_FIELDS, type FlagCreate } from "./schema.ts";
import type { FlagRow } from "./store.ts";
import { act, checkSave, keyTaken, releaseKey, sealed } from "./writing.ts";

/** Filters of a flag created without any. */
const EVERYONE = { groups: [{ properties: [], rollout_percentage: null }] };

type Row = Omit<FlagRow, "id" | "usage_dashboard_id">;

function rowOf(context: MemberContext, body: FlagCreate): Row {
  const { _create_in_folder, _should_create_usage_dashboard, version: _, created_at, ...fields } = body;
  return {
    ...initialValues(FLAG_FIELDS),
    last_called_at: null,
    ...fields,
    project_id: context.project.id,
    filters: normalizePayloads(body.filters ?? EVERYONE, null),
    performed_rollback: body.active ? false : (body.performed_rollback ?? null),
    rollback_conditions: body.rollback_conditions ?? null,
    created_by_id: context.user.id,
    last_modified_by_id: context.user.id,
    created_at: created_at ? new Date(created_at) : context.now,
    updated_at: context.now,
  };
}

/** Checks and writes; null where the key is taken. */
async function attempt(db: Db, context: MemberContext, body: FlagCreate, row: Row) {
  const { filters = null } = body;
  await checkSave(db, context, body, { id: null, key: body.key, filters, tags: row.tags });
  const dashboard = usageDashboardOf({
    project_id: row.project_id,
    feature_flag_key: row.key,
    created_by_id: context.user.id,
  });
  const entry = act(context, { id: 0, key: row.key }, "created");
  return insertFlagWhole(db, {
    flag: { ...row, filters: sealed(context, row.filters, row.has_encrypted_payloads, null) },
    dashboard: body._should_create_usage_dashboard === false ? null : dashboard,
    entry: { ...entry, detail: detailOf(entry.name, []), created_at: context.now },
    topic: FLAGS_TOPIC,
  });
}

export async function create(context: MemberContext, { body }: Input<typeof flagContract.create>) {
  const { db, runtime, project } = context;
  const row = rowOf(context, body);
  // Dependencies are checked under a lock, which lasts as long as a transaction.
  const depends = body.filters !== undefined && dependenciesOf(body.filters).length > 0;
  const first = depends
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
  return new Response(JSON.stringify(recordOf(flag, await readViewer(context))), {
    status: 201,
    headers: { "content-type": "application/json" },
  });
}

/** The key is taken: a deleted flag gives it up, a live one keeps it. */
async function createOverDeleted(context: MemberContext, body: FlagCreate, row: Row) {
  const { db, runtime, project } = context;
  const [made, released] = await inTransaction(db, async (tx) => {
    const ids = await releaseKey(tx, context, body.key, null);
    const written = await attempt(tx, context, body, row);
    if (!written) throw keyTaken();
    await publish(tx, FLAGS_TOPIC, { project_id: project.id, ids });
    return [written, ids] as const;
  });
  runtime.flags.changed(project.id, released);
  return made;
}
