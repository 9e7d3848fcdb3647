import type { MemberContext } from "#lib/flags/context.ts";
import type { Flag } from "#lib/flags/feature_flags/cache.ts";
import { flagOf } from "#lib/flags/feature_flags/service.ts";
import { userOf } from "#lib/identity/accounts/schema.ts";
import type { FlagFilters } from "#lib/people/conditions/filters-schema.ts";
import { withGroups } from "#lib/people/conditions/filters-schema.ts";
import { type Names, plain, rolloutTokens, variantsOf } from "#lib/people/conditions/words.ts";
import type { Input, Reply } from "#lib/platform/http/contract.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import {
  DRIFT_STATES,
  type DriftState,
  type EnvironmentRecord,
  type flagEnvironmentContract,
} from "./contract.ts";
import { createComparison, type References } from "./drift.ts";
import { type Linked, linkedTo, type Side } from "./linked.ts";
import { type DriftRow, listDrift, readSides } from "./list-drift.ts";
import { environmentBefore, findSettledDrift } from "./settled-drift.ts";

type Of<Name extends keyof typeof flagEnvironmentContract> = Input<(typeof flagEnvironmentContract)[Name]>;
type Accounts = Awaited<ReturnType<MemberContext["runtime"]["directory"]["current"]>>;

const recordOf = ({ project, name, ...access }: Linked, current: number): EnvironmentRecord => ({
  project_id: project.id,
  name,
  is_current: project.id === current,
  ...access,
});

/** Names for sentences about the flags of one project. */
const namesFrom = ({ cohorts, flags, group_types }: References): Names => {
  const lookup = (nameOf: (id: string) => string | undefined) =>
    ({ get: (id: string) => nameOf(id) }) as ReadonlyMap<string, string>;
  return {
    cohorts: lookup(cohorts),
    flags: lookup(flags),
    groups: {
      get: (index: number) => {
        const type = group_types(String(index));
        return type && `groups of type ${type}`;
      },
    } as ReadonlyMap<number, string>,
  };
};

function shownFlag(flag: Flag, { references }: Side, accounts: Accounts) {
  const filters = withGroups(flag.filters) as FlagFilters;
  return {
    id: flag.id,
    active: flag.active,
    rollout: plain(rolloutTokens(filters, namesFrom(references))),
    variants: variantsOf(filters).map(({ key, rollout_percentage }) => ({ key, rollout_percentage })),
    version: flag.version,
    updated_at: instant(flag.updated_at ?? flag.created_at),
    updated_by: userOf(accounts, flag.last_modified_by_id),
  };
}

const isState = (text: string | undefined): text is DriftState =>
  DRIFT_STATES.some((state) => state === text);

const matches = ({ key, flags }: DriftRow, search: string): boolean =>
  key.toLowerCase().includes(search) ||
  [...flags.values()].some(({ flag }) => flag?.name.toLowerCase().includes(search));

export async function linked(
  context: MemberContext,
): Promise<Reply<(typeof flagEnvironmentContract)["linked"]>> {
  const found = await linkedTo(context);
  return { results: found.map((each) => recordOf(each, context.project.id)) };
}

export async function matrix(
  context: MemberContext,
  { query }: Of<"matrix">,
): Promise<Reply<(typeof flagEnvironmentContract)["matrix"]>> {
  const only = /^\d{1,9}$/.test(query.with ?? "") ? Number(query.with) : undefined;
  const environments = await linkedTo(context);
  const before = environmentBefore(environments, context.project.id);
  const [{ sides, rows }, drifted] = await Promise.all([
    listDrift(context, environments, only),
    before ? findSettledDrift(context, before, context.now) : [],
  ]);
  const needing = new Set(drifted.map(({ flag }) => flag.key));
  const accounts = await context.runtime.directory.current();
  const search = query.search?.trim().toLowerCase() ?? "";
  const found = rows.filter((row) => matches(row, search));
  const attention = found.filter(({ key }) => needing.has(key));
  const shown =
    query.state === "needs_attention"
      ? attention
      : isState(query.state)
        ? found.filter(({ state }) => state === query.state)
        : found;
  const countOf = (state: DriftState) => found.filter((row) => row.state === state).length;
  const cellOf = ({ flags }: DriftRow, project_id: number) => {
    const { flag = null, differs = [] } = flags.get(project_id) ?? {};
    const side = sides.get(project_id);
    return { project_id, flag: flag && side ? shownFlag(flag, side, accounts) : null, differs };
  };
  const columns = environments.filter(
    ({ project }) => only === undefined || project.id === only || project.id === context.project.id,
  );
  return {
    count: shown.length,
    ...neighbours(context.url, query, shown.length),
    environments: environments.map((each) => recordOf(each, context.project.id)),
    counts: {
      all: found.length,
      same: countOf("same"),
      differs: countOf("differs"),
      only_here: countOf("only_here"),
      missing_here: countOf("missing_here"),
      needs_attention: attention.length,
    },
    results: shown.slice(query.offset, query.offset + query.limit).map((row) => ({
      key: row.key,
      name: [...row.flags.values()].find(({ flag }) => flag)?.flag?.name ?? "",
      state: row.state,
      needs_attention: needing.has(row.key),
      environments: columns.map(({ project }) => cellOf(row, project.id)),
    })),
  };
}

export async function compare(
  context: MemberContext,
  { params }: Of<"compare">,
): Promise<Reply<(typeof flagEnvironmentContract)["compare"]>> {
  const own = await flagOf(context, params.id);
  const environments = await linkedTo(context);
  const [sides, accounts] = await Promise.all([
    readSides(context, environments),
    context.runtime.directory.current(),
  ]);
  const here = sides.get(context.project.id);
  const comparison = createComparison();
  const mine = here && comparison.portable(own, here.references);
  return {
    results: environments.map((each) => {
      const isCurrent = each.project.id === context.project.id;
      const side = sides.get(each.project.id);
      const flag = isCurrent ? own : (side?.byKey.get(own.key) ?? null);
      const drift =
        mine && side && flag && !isCurrent
          ? comparison.drift(mine, comparison.portable(flag, side.references))
          : [];
      return {
        ...recordOf(each, context.project.id),
        flag: flag && side ? shownFlag(flag, side, accounts) : null,
        drift,
      };
    }),
  };
}
