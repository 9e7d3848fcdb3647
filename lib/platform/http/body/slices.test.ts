import { expect, it } from "vitest";
import { createSlices, yieldToEventLoop } from "./slices.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Keeps the event loop busy. */
function work(milliseconds: number): void {
  const began = performance.now();
  while (performance.now() - began < milliseconds);
}

it("long computations go on one by one, in the order in which they wait", async () => {
  // A second time too: once nobody waits, everything begins again.
  for (let round = 0; round < 3; round++) {
    const resumed: string[] = [];
    for (const name of ["a", "b", "c"]) void yieldToEventLoop().then(() => resumed.push(name));
    expect(resumed).toEqual([]);
    await turn();
    expect(resumed).toEqual(["a"]);
    await turn();
    expect(resumed).toEqual(["a", "b"]);
    void yieldToEventLoop().then(() => resumed.push("d"));
    await turn();
    expect(resumed).toEqual(["a", "b", "c"]);
    await turn();
    expect(resumed).toEqual(["a", "b", "c", "d"]);
    await turn();
    await turn();
  }
});

it("a computation goes on at once until it has taken 4 ms, and then lets others go first", async () => {
  const began = performance.now();
  const giveWay = createSlices();
  let pauses = 0;
  for (let step = 0; step < 150; step++) {
    work(0.4);
    const pause = giveWay();
    if (!pause) continue;
    pauses++;
    await pause;
  }
  // However slow the machine is: between two pauses there are 4 ms.
  expect(pauses).toBeGreaterThan(0);
  expect(pauses).toBeLessThanOrEqual((performance.now() - began) / 4);
});
