import { readActivityPage } from "#lib/activity/service.ts";
import type { MemberContext } from "#lib/flags/context.ts";

import type { Input } from "#lib/platform/http/contract.ts";
import { invalid } from "#lib/platform/http/errors.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import { DATABASE_INTEGER_MAX } from "#lib/platform/http/params.ts";
import type { experimentContract } from "./contract.ts";
import { createExperiment } from "./create.ts";
import { type ExperimentFilter, ORDERS, type Order, selectExperiments } from "./list-store.ts";
import { loadExperiment } from "./lookup.ts";
import { buildRecord, buildRecords } from "./record.ts";
import type { ExperimentListQuery } from "./schema.ts";
import { changeExperiment } from "./update.ts";
import { SCOPE } from "./writing.ts";

export { duplicate } from "./duplicate.ts";
export { create_exposure_cohort_for_experiment } from "./exposure-cohort.ts";
export { event_properties, requires_flag_implementation } from "./implementation.ts";

type Of<Name extends keyof typeof experimentContract> = Input<(typeof experimentContract)[Name]>;

const STATUSES: Record<string, ExperimentFilter["status"]> = {
  draft: "draft",
  running: "running",
  paused: "paused",
  stopped: "stopped",
  complete: "stopped",
};

function idIn(text: string | undefined, attr: string): number | undefined {
  if (!text) return undefined;
  const id = Number(text);
  if (!/^\d+$/.test(text) || id > DATABASE_INTEGER_MAX)
    throw invalid(`${attr} must be a whole number.`, attr);
  return id;
}

function orderIn(text: string | undefined): Order {
  if (!text) return { by: "created_at", descending: true };
  const by = ORDERS.find((name) => name === text.replace(/^-/, ""));
  if (!by) throw invalid(`Experiments can be sorted by ${ORDERS.join(", ")}.`, "order");
  return { by, descending: text.startsWith("-") };
}

const filterIn = (query: ExperimentListQuery): ExperimentFilter => ({
  status: STATUSES[query.status?.toLowerCase() ?? ""],
  archived: query.archived?.toLowerCase() === "true",
  created_by_id: idIn(query.created_by_id, "created_by_id"),
  feature_flag_id: idIn(query.feature_flag_id, "feature_flag_id"),
  search: query.search?.trim(),
});

export async function list(context: MemberContext, { query }: Of<"list">) {
  const page = { ...query, order: orderIn(query.order), now: context.now };
  const { rows, count } = await selectExperiments(context.db, context.project.id, filterIn(query), page);
  return { count, ...neighbours(context.url, query, count), results: await buildRecords(context, rows) };
}

export async function retrieve(context: MemberContext, { params }: Of<"retrieve">) {
  return buildRecord(context, await loadExperiment(context, params.id));
}

export async function create(context: MemberContext, { body }: Of<"create">) {
  return buildRecord(context, await createExperiment(context, body));
}

export async function partial_update(context: MemberContext, { params, body }: Of<"partial_update">) {
  return buildRecord(context, await changeExperiment(context, params.id, body));
}

export async function update(context: MemberContext, { params, body }: Of<"update">) {
  return buildRecord(context, await changeExperiment(context, params.id, body));
}

/** Experiments are soft-deleted by PATCH: the response is the same for every id. */
export const destroy = () => new Response(null, { status: 405 });

export const all_activity = (context: MemberContext, { query }: Of<"all_activity">) =>
  readActivityPage(context, { scopes: [SCOPE] }, query);

export async function activity(context: MemberContext, { params, query }: Of<"activity">) {
  const { id } = await loadExperiment(context, params.id);
  return readActivityPage(context, { scopes: [SCOPE], item_id: String(id) }, query);
}
