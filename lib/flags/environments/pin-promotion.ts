import type { MemberContext } from "#lib/flags/context.ts";
import type { Flag } from "#lib/flags/feature_flags/cache.ts";
import { Unresolved } from "#lib/flags/feature_flags/transfer/references.ts";
import { selectLinked } from "#lib/identity/environments/store.ts";
import { invalid } from "#lib/platform/http/errors.ts";
import { readSide } from "./linked.ts";
import { mapFiltersTo } from "./map-references.ts";
import type { Part } from "./parts-schema.ts";
import { isSame, planOne, sourceOf } from "./promote.ts";

type Asked = {
  from_project: number;
  version: number;
  parts?: Part[] | undefined;
  active?: boolean | undefined;
};

/**
 * What a promotion takes over to a flag, as it is now: later changes in the other project are not part of it.
 *
 * @param attr what in the request is at fault
 * @throws ApiError 400 where it cannot be promoted
 */
export async function pinPromotion(
  context: MemberContext,
  flag: Flag,
  { from_project, ...asked }: Asked,
  attr: string,
) {
  const { db, project } = context;
  const from = await sourceOf(context, from_project, attr);
  const [there, here] = await Promise.all([readSide(context, from.id), readSide(context, project.id)]);
  if (here.byKey.get(flag.key)?.id !== flag.id) throw invalid("It belongs to a survey.", attr);
  const planned = planOne({ ...asked, key: flag.key }, from, { there, here });
  const { parts, candidate } = planned;
  if (!candidate.flag) throw invalid(candidate.reason ?? "It cannot be read.", attr);
  if (isSame(planned))
    throw invalid(`There is nothing to promote: it is the same in ${from.name} and here.`, attr);
  const { key: _, filters, ...fields } = candidate.flag;
  const linked = (await selectLinked(db, project.id)).find(({ project_id }) => project_id === from.id);
  try {
    return {
      from_name: linked?.name ?? from.name,
      parts,
      change: {
        ...fields,
        ...(filters && { filters: await mapFiltersTo(context, { from, to: project }, filters) }),
      },
    };
  } catch (error) {
    if (error instanceof Unresolved) throw invalid(error.message, attr);
    throw error;
  }
}
