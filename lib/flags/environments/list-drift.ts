import type { MemberContext } from "#lib/flags/context.ts";
import type { Flag } from "#lib/flags/feature_flags/cache.ts";
import type { DriftState } from "./contract.ts";
import { createComparison } from "./drift.ts";
import { type Linked, readSide, type Side } from "./linked.ts";
import type { Part } from "./parts-schema.ts";

/** The environments of a project whose flags the key can read, with these flags. */
export async function readSides(context: MemberContext, linked: readonly Linked[]) {
  const readable = linked.filter(({ may_read }) => may_read);
  const sides = await Promise.all(readable.map(({ project }) => readSide(context, project.id)));
  return new Map(readable.map(({ project }, i) => [project.id, sides[i] as Side]));
}

/** A key in all environments: how the flags of others compare with that of the project. */
export type DriftRow = {
  key: string;
  state: DriftState;
  /** By project: the flag there, and the parts in which it differs. Without projects that the key cannot read. */
  flags: ReadonlyMap<number, { flag: Flag | null; differs: Part[] }>;
};

function stateOf(here: boolean, others: readonly { flag: Flag | null; differs: Part[] }[]): DriftState {
  if (!here) return "missing_here";
  if (others.every(({ flag }) => flag === null)) return "only_here";
  return others.every(({ flag, differs }) => flag !== null && differs.length === 0) ? "same" : "differs";
}

/**
 * How the flags of a project compare with those of its environments, by key.
 *
 * @param linked the environments of the project
 * @param only the project to compare with; absent: all environments
 */
export async function listDrift(context: MemberContext, linked: readonly Linked[], only?: number) {
  const sides = await readSides(context, linked);
  const here = sides.get(context.project.id);
  const others = [...sides].filter(
    ([id]) => id !== context.project.id && (only === undefined || id === only),
  );
  if (!here) return { sides, rows: [] };
  const comparison = createComparison();
  const keys = new Set([here, ...others.map(([, side]) => side)].flatMap(({ byKey }) => [...byKey.keys()]));
  const rows = [...keys].sort().map((key): DriftRow => {
    const own = here.byKey.get(key) ?? null;
    const mine = own && comparison.portable(own, here.references);
    const compared = others.map(([id, { byKey, references }]) => {
      const flag = byKey.get(key) ?? null;
      const differs = mine && flag ? comparison.differing(mine, comparison.portable(flag, references)) : [];
      return [id, { flag, differs }] as const;
    });
    return {
      key,
      state: stateOf(
        own !== null,
        compared.map(([, each]) => each),
      ),
      flags: new Map([[context.project.id, { flag: own, differs: [] }], ...compared]),
    };
  });
  return { sides, rows };
}
