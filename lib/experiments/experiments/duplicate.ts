import type { MemberContext } from "#lib/flags/context.ts";
import { pickFields } from "#lib/platform/fields-schema.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import type { experimentContract } from "./contract.ts";
import { createExperiment } from "./create.ts";
import { loadExperiment } from "./lookup.ts";
import { buildRecord } from "./record.ts";
import { EXPERIMENT_FIELDS } from "./schema.ts";
import { isNameInUse, selectLinks } from "./store.ts";

const NAME_MAX = 400;

/** An unused name for a copy. */
async function freeName(context: MemberContext, name: string): Promise<string> {
  for (let i = 0; ; i += 1) {
    const ending = i === 0 ? " (Copy)" : ` (Copy) ${i}`;
    const wanted = `${name.slice(0, NAME_MAX - ending.length)}${ending}`;
    if (!(await isNameInUse(context.db, context.project.id, wanted))) return wanted;
  }
}

export async function duplicate(
  context: MemberContext,
  { params, body }: Input<typeof experimentContract.duplicate>,
) {
  const row = await loadExperiment(context, params.id);
  const { byId: flags } = await context.runtime.flags.project(context.project.id);
  const links = await selectLinks(context.db, [row.id]);
  const made = await createExperiment(context, {
    ...pickFields(EXPERIMENT_FIELDS, "copied", row),
    name: body.name ?? (await freeName(context, row.name)),
    feature_flag_key: body.feature_flag_key ?? flags.get(row.feature_flag_id)?.key ?? "",
    saved_metrics_ids: links.map(({ saved_metric_id, metadata }) => ({ id: saved_metric_id, metadata })),
  });
  return buildRecord(context, made);
}
