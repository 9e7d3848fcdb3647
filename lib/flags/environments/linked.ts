import type { MemberContext } from "#lib/flags/context.ts";
import type { Flag } from "#lib/flags/feature_flags/cache.ts";
import type { Snapshot } from "#lib/flags/feature_flags/evaluation/definitions.ts";
import { selectLinked } from "#lib/identity/environments/store.ts";
import { covers } from "#lib/platform/http/auth.ts";
import { keyAdmits, type ProjectRow } from "#lib/platform/http/directory.ts";
import type { References } from "./drift.ts";

/** An environment of a project, and what the caller's key may do there. */
export type Linked = {
  project: ProjectRow;
  name: string;
  may_read: boolean;
  may_write: boolean;
  /** Why the key may not write there; null if it may. */
  reason: string | null;
};

export type Caller = Pick<MemberContext, "db" | "runtime" | "project" | "key">;

/** The environments of a project, itself included, from first to last; none where it has none. */
export async function linkedTo({ db, runtime, project, key }: Caller): Promise<Linked[]> {
  const rows = await selectLinked(db, project.id);
  const { projects } = await runtime.directory.current();
  const found = rows.flatMap(({ project_id, name }): Linked[] => {
    const each = projects.get(project_id);
    if (each?.organization_id !== project.organization_id) return [];
    const may_read = keyAdmits(key, each);
    const may_write = may_read && covers(key, "feature_flag:write");
    const reason = may_read
      ? "Your API key lacks the scope feature_flag:write."
      : `Your API key has no access to the project ${each.name}.`;
    return [{ project: each, name, may_read, may_write, reason: may_write ? null : reason }];
  });
  return found.length > 1 ? found : [];
}

/** The flags of a project by key, without those that target surveys, and what their filters refer to. */
export type Side = { byKey: ReadonlyMap<string, Flag>; references: References };

export function sideOf({ flags, cohorts, group_types }: Snapshot): Side {
  return {
    byKey: new Map(flags.live.filter((flag) => !flag.targets_survey).map((flag) => [flag.key, flag])),
    references: {
      cohorts: (id) => cohorts.byId.get(Number(id))?.name,
      flags: (id) => {
        const flag = flags.byId.get(Number(id));
        return flag?.deleted ? undefined : flag?.key;
      },
      group_types: (id) => group_types.mapping[id],
    },
  };
}

export const readSide = async (
  { runtime }: Pick<MemberContext, "runtime">,
  projectId: number,
): Promise<Side> => sideOf(await runtime.definitions.project(projectId));
