import { expect, it } from "vitest";
import { overloadServer } from "./overload.ts";

it("answers one project while another floods it with more than it can answer, and refuses what it cannot", async () => {
  const [outcome] = await overloadServer(4, ["everything"]);
  expect(outcome?.problems).toEqual([]);
  // SDKs are served when events are not.
  const { flags = 0, events = 0 } = outcome?.refused ?? {};
  expect(flags).toBeLessThanOrEqual(events);
  // Other tests use the machine at the same time: the slowest requests, and a few that are refused for them, say more of
  // those tests than of the flood.
  expect(outcome?.p50).toBeLessThan(1_000);
  expect(outcome?.turned_away).toBeLessThan(0.1);
});
