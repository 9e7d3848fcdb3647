/** A key's own restriction: to projects, else to organizations, else none. */
export type Restriction = { scoped_teams: readonly number[]; scoped_organizations: readonly string[] };

/** What a key opens: per organization all of its projects (those to come included) or some by number. */
export type Reach = ReadonlyMap<string, "all" | ReadonlySet<number>>;

type Facts = {
  projects: ReadonlyMap<number, { id: number; organization_id: string }>;
  /** Membership levels by "organization/user". */
  levels: ReadonlyMap<string, number>;
};

/** Organizations that a person is a member of. */
export const organizationIdsOf = (facts: Facts, userId: number): string[] =>
  [...facts.levels.keys()]
    .map((pair) => pair.split("/"))
    .filter(([, user]) => Number(user) === userId)
    .flatMap(([organization]) => organization ?? []);

/** What a key of a person opens under a restriction. */
export function reachOf(facts: Facts, userId: number, restriction: Restriction): Reach {
  const mine = organizationIdsOf(facts, userId);
  const reach = new Map<string, "all" | Set<number>>();
  if (restriction.scoped_teams.length === 0) {
    const only = restriction.scoped_organizations;
    for (const id of mine) if (only.length === 0 || only.includes(id)) reach.set(id, "all");
    return reach;
  }
  for (const id of restriction.scoped_teams) {
    const organization = facts.projects.get(id)?.organization_id;
    if (!organization || !mine.includes(organization)) continue;
    const some = reach.get(organization);
    if (some instanceof Set) some.add(id);
    else reach.set(organization, new Set([id]));
  }
  return reach;
}

export const isRestricted = (restriction: Restriction): boolean =>
  restriction.scoped_teams.length > 0 || restriction.scoped_organizations.length > 0;
