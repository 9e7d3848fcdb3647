import { expect, it } from "vitest";
import { experimentEvents } from "./experiment-events.ts";
import { DAY_MS, DEMO_EXPERIMENTS } from "./experiments.ts";
import { demoPeople } from "./people.ts";

const MONDAY_MORNING = Date.UTC(2026, 1, 2, 6);

/** What happens in an experiment of a demo loaded at the given moment: how often each event, by variant. */
function counts(n: number, now: number): Record<string, number> {
  const of = DEMO_EXPERIMENTS[n];
  if (!of) throw new Error(`There is no experiment ${n}.`);
  const keys = Object.keys(of.behaviour);
  const found: Record<string, number> = {};
  const variantFor = ({ distinct_id }: { distinct_id: string }) =>
    keys[Number(distinct_id.slice(-5)) % keys.length] ?? null;
  for (const { event, properties } of experimentEvents(n, of, demoPeople(now), now, variantFor)) {
    const name = `${event} ${properties?.$feature_flag_response ?? ""}`;
    found[name] = (found[name] ?? 0) + 1;
  }
  return found;
}

it.each(DEMO_EXPERIMENTS.map(({ body }, n) => [body.name, n] as const))(
  "%s tells the same on a weekend and at another hour",
  (_, n) => {
    const monday = counts(n, MONDAY_MORNING);
    for (const later of [5.25 * DAY_MS, 6.9 * DAY_MS, 300.5 * DAY_MS]) {
      const other = counts(n, MONDAY_MORNING + later);
      expect(Object.keys(other).sort()).toEqual(Object.keys(monday).sort());
      // What would happen after the moment of loading is left out, and quiet days move that a little.
      for (const [name, count] of Object.entries(monday))
        expect(Math.abs((other[name] ?? 0) - count), name).toBeLessThanOrEqual(5 + 0.02 * count);
    }
  },
);
