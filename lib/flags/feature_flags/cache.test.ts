import fc from "fast-check";
import { Map as SharingMap } from "immutable";
import { describe, expect, it } from "vitest";
import { type Flag, withFlagsReadAgain } from "./cache.ts";

/** What the order of flags depends on; `version` tells two states of a flag apart. */
const flagOf = (id: number, day: number, deleted: boolean, version = 0) =>
  ({ id, created_at: new Date(day * 86_400_000), deleted, version }) as Flag;

const NEWEST_FIRST = (a: Flag, b: Flag) => b.created_at.getTime() - a.created_at.getTime() || b.id - a.id;
const sorted = (flags: Iterable<Flag>) => [...flags].filter((flag) => !flag.deleted).toSorted(NEWEST_FIRST);

const projectOf = (flags: Flag[]) => ({
  revision: 1,
  byId: SharingMap(flags.map((flag) => [flag.id, flag])),
  live: sorted(flags),
});

const ids = fc.uniqueArray(fc.integer({ min: 1, max: 12 }));
/** Few days, so that flags of one day are put in the order of their ids. */
const flagsOf = (version: number) =>
  ids.chain((some) =>
    fc.tuple(
      ...some.map((id) =>
        fc
          .tuple(fc.integer({ min: 1, max: 4 }), fc.boolean())
          .map(([day, deleted]) => flagOf(id, day, deleted, version)),
      ),
    ),
  );

describe("flags of which some were read again", () => {
  it("are what all of them would be if they were read at once", () => {
    fc.assert(
      fc.property(flagsOf(1), flagsOf(2), ids, (before, found, gone) => {
        const changed = [...new Set([...found.map(({ id }) => id), ...gone])];
        const after = withFlagsReadAgain(projectOf(before), 2, changed, found);
        const expected = [...before.filter(({ id }) => !changed.includes(id)), ...found];
        expect(after.revision).toBe(2);
        expect(after.live).toEqual(sorted(expected));
        expect(new Map(after.byId)).toEqual(new Map(expected.map((flag) => [flag.id, flag])));
      }),
    );
  });

  it("leave those that were read before as they are", () => {
    const before = projectOf([flagOf(1, 1, false), flagOf(2, 2, false)]);
    const after = withFlagsReadAgain(before, 2, [1, 2], [flagOf(1, 3, false, 1)]);
    expect(before.live.map(({ id, version }) => [id, version])).toEqual([
      [2, 0],
      [1, 0],
    ]);
    expect(before.byId.get(1)?.version).toBe(0);
    expect(after.live.map(({ id, version }) => [id, version])).toEqual([[1, 1]]);
    expect(after.byId.has(2)).toBe(false);
  });
});
