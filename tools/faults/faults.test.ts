import { afterAll, expect, it } from "vitest";
import { clock } from "./clock.ts";
import { cut } from "./cut.ts";
import { disk } from "./disk.ts";
import { killEmbedded, killMigrating, killShared } from "./kill.ts";
import { type Kind, play } from "./rounds.ts";
import { slow } from "./slow.ts";
import { serverOnDemand } from "./stage.ts";

const { server, close } = serverOnDemand();
afterAll(close);

/**
 * Consecutive seeds take turns at the faults of a kind. `npm run faults` plays many rounds of all, and of the upgrade,
 * which starts the commit before as well.
 */
const ROUNDS: readonly [kind: Kind, rounds: number][] = [
  [killEmbedded, 1],
  [killShared, 1],
  [killMigrating, 1],
  [disk, 1],
  [cut, 1],
  [clock, 1],
  [slow, 1],
];

it.each(ROUNDS.map(([kind, rounds]) => ({ name: kind.name, kind, rounds })))(
  "nothing is lost, and it goes on by itself: $name, $rounds rounds",
  async ({ kind, rounds, name }) => {
    const { left_out, failed } = await play(kind, server, { rounds, seed: 1, seconds: 600 });
    if (left_out !== null) console.warn(`${name} is left out: ${left_out}.`);
    expect(failed).toEqual([]);
  },
  600_000,
);
