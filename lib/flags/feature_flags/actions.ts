import { readActivityPage } from "#lib/activity/service.ts";
import type { Evaluation } from "#lib/engines/evaluation/values/types.ts";
import { isObject } from "#lib/engines/json.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import { createUsageDashboard, enrichUsageDashboard, readEnrichment } from "#lib/flags/dashboards/service.ts";
import { definitionOf } from "#lib/flags/feature_flags/evaluation/definition.ts";
import { evaluateFor } from "#lib/flags/feature_flags/evaluation/evaluation.ts";
import { matchingPersons, matchingTotals } from "#lib/flags/feature_flags/evaluation/matching.ts";
import { toSdkReason } from "#lib/flags/feature_flags/evaluation/reasons.ts";
import { findFiltersProblem } from "#lib/flags/feature_flags/filters/filters.ts";
import { cohortRecordOf, createStaticCohort } from "#lib/people/cohorts/service.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { publish } from "#lib/platform/db/notify.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { invalid, notFound } from "#lib/platform/http/errors.ts";
import { answerWithProgress } from "#lib/platform/progress.ts";
import type { Flag } from "./cache.ts";
import { FLAGS_TOPIC } from "./cache.ts";
import type { flagContract } from "./contract.ts";
import { flagOf } from "./service.ts";
import { statusOf } from "./status.ts";
import { updateFlag } from "./store.ts";

type Of<Name extends keyof typeof flagContract> = Input<(typeof flagContract)[Name]>;

const SCOPE = "FeatureFlag";

export const all_activity = (context: MemberContext, { query }: Of<"all_activity">) =>
  readActivityPage(context, { scopes: [SCOPE] }, query);

export async function activity(context: MemberContext, { params, query }: Of<"activity">) {
  const { byId } = await context.runtime.flags.project(context.project.id);
  // An unknown flag has an empty 404 here, without the usual body.
  if (!/^\d+$/.test(params.id) || !byId.has(Number(params.id))) return new Response(null, { status: 404 });
  return readActivityPage(context, { scopes: [SCOPE], item_id: params.id }, query);
}

export async function bulk_keys(context: MemberContext, { body }: Of<"bulk_keys">) {
  const ids = body.ids ?? [];
  if (!Array.isArray(ids)) throw invalid("ids must be a list.", "ids");
  const usable = ids.filter((id) => Number.isSafeInteger(id) || (typeof id === "string" && /^\d+$/.test(id)));
  const unusable = ids.filter((id) => !usable.includes(id));
  if (ids.length > 0 && usable.length === 0)
    return Response.json({ error: "Invalid flag IDs provided" }, { status: 400 });
  const { byId } = await context.runtime.flags.project(context.project.id);
  const found = usable
    .map((id) => byId.get(Number(id)))
    .filter((flag) => flag !== undefined && !flag.deleted);
  const keys = Object.fromEntries(found.map((flag) => [String(flag?.id), flag?.key ?? ""]));
  if (unusable.length === 0) return { keys };
  return {
    keys,
    warning: `Invalid flag IDs ignored: [${unusable.map((id) => `'${String(id)}'`).join(", ")}]`,
  };
}

/** Group keys by group type, from the JSON text of a query. */
function groupsOf(text: string | undefined): Record<string, string> {
  if (!text) return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid("groups must be a JSON object.", "groups");
  }
  if (!isObject(value)) throw invalid("groups must be a JSON object.", "groups");
  return Object.fromEntries(Object.entries(value).map(([type, key]) => [type, String(key)]));
}

/** Every live flag with its value for one person; inactive ones are off. */
async function valuesFor(context: MemberContext, distinctId: string, groups: Record<string, string>) {
  const { live } = await context.runtime.flags.project(context.project.id);
  const evaluations = await evaluateFor(context.runtime, context.project.id, {
    distinct_id: distinctId,
    groups,
    now: context.now.getTime(),
  });
  return live.map((flag) => ({ flag, evaluation: flag.active ? evaluations.get(flag.key) : undefined }));
}

/** Why, by a code that the public service has. */
const publicReason = ({ reason, value }: Evaluation): string =>
  reason === "pinned" ? toSdkReason(reason, value) : reason;

export async function evaluation_reasons(context: MemberContext, { query }: Of<"evaluation_reasons">) {
  if (!query.distinct_id) throw invalid("This field is required.", "distinct_id", "required");
  const values = await valuesFor(context, query.distinct_id, groupsOf(query.groups));
  return Object.fromEntries(
    values.map(({ flag, evaluation }) => [
      flag.key,
      evaluation
        ? {
            value: evaluation.value,
            evaluation: { reason: publicReason(evaluation), condition_index: evaluation.condition_index },
          }
        : { value: false, evaluation: { reason: "disabled", condition_index: null } },
    ]),
  );
}

export async function my_flags(context: MemberContext, { query }: Of<"my_flags">) {
  const values = await valuesFor(context, context.user.distinct_id, groupsOf(query.groups));
  return values.map(({ flag, evaluation }) => ({
    feature_flag: definitionOf(flag),
    value: evaluation?.value ?? false,
  }));
}

/** The error of a flag that is not there, with what clients of this endpoint read in its stead. */
const unknownStatus = () =>
  Response.json(
    { ...notFound().body, status: "unknown", reason: "The flag could not be found." },
    { status: 404 },
  );

export async function status(context: MemberContext, { params }: Of<"status">) {
  const flag = (await context.runtime.flags.project(context.project.id)).byId.get(params.id);
  if (!flag) return unknownStatus();
  const found = statusOf(flag, context.now);
  return { status: found.status.toLowerCase() as "active" | "stale" | "deleted", reason: found.reason };
}

/** Checks the condition as if it stood in a flag, so that both are refused for the same reasons. */
async function checkCondition(
  context: MemberContext,
  condition: Record<string, unknown>,
  index: number | null,
) {
  const { runtime, project } = context;
  const { live } = await runtime.flags.project(project.id);
  const problem = findFiltersProblem(
    { groups: [condition], aggregation_group_type_index: index },
    {
      flag_id: null,
      flag_key: "",
      flags: new Map(live.map((flag) => [flag.id, flag])),
      cohort_ids: new Set((await runtime.cohorts.project(project.id)).byId.keys()),
    },
  );
  if (problem) throw invalid(problem.detail, "condition", problem.code, problem.path.slice(2));
}

export async function user_blast_radius(context: MemberContext, { body }: Of<"user_blast_radius">) {
  if (!isObject(body.condition)) throw invalid("Missing condition for which to get blast radius.");
  const condition = { properties: [], ...body.condition, rollout_percentage: 100, variant: null };
  const index = body.group_type_index ?? null;
  await checkCondition(context, condition, index);
  const turn = context.runtime.counting(context.project.id);
  return answerWithProgress(context.headers, turn, () => matchingTotals(context, condition, index));
}

/** The members of a new static cohort: persons who get the flag now, whatever its value. */
export async function create_static_cohort_for_flag(
  context: MemberContext,
  { params }: Of<"create_static_cohort_for_flag">,
) {
  const flag = await flagOf(context, params.id);
  const stamp = context.now.toISOString().slice(0, 19).replace("T", " ");
  const cohort = await inTransaction(context.db, (tx) =>
    createStaticCohort(tx, {
      project_id: context.project.id,
      created_by_id: context.user.id,
      name: `Users with feature flag ${flag.key} enabled at ${stamp}`,
      description: "",
      person_ids: matchingPersons(context, tx, flag),
    }),
  );
  context.runtime.cohorts.changed(context.project.id);
  return { cohort: cohortRecordOf(cohort, await context.runtime.directory.current()) };
}

async function withFlag(context: MemberContext, flag: Flag, write: (tx: Db) => Promise<void>): Promise<void> {
  const projectId = context.project.id;
  await inTransaction(context.db, async (tx) => {
    await write(tx);
    await publish(tx, FLAGS_TOPIC, { project_id: projectId, ids: [flag.id] });
  });
  context.runtime.flags.changed(projectId, [flag.id]);
}

export async function dashboard(context: MemberContext, { params }: Of<"dashboard">) {
  const flag = await flagOf(context, params.id);
  await withFlag(context, flag, async (tx) => {
    const made = {
      project_id: context.project.id,
      created_by_id: context.user.id,
      feature_flag_key: flag.key,
    };
    await updateFlag(tx, flag.id, { usage_dashboard_id: await createUsageDashboard(tx, made) });
  });
  return { success: true };
}

const refused = (error: string) => Response.json({ success: false, error }, { status: 400 });

export async function enrich_usage_dashboard(
  context: MemberContext,
  { params }: Of<"enrich_usage_dashboard">,
) {
  const flag = await flagOf(context, params.id);
  const id = flag.usage_dashboard_id;
  if (id === null) return refused("Usage dashboard not found");
  const found = await readEnrichment(context.db, context.project.id, id, flag.key);
  if (found === "missing") return refused("Usage dashboard not found");
  if (found === "enriched") return refused("Usage dashboard already has enriched data");
  if (!flag.has_enriched_analytics) return refused("No enriched analytics available for this feature flag");
  await withFlag(context, flag, (tx) => enrichUsageDashboard(tx, id, flag.key));
  return { success: true };
}
