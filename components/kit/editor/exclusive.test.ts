import { describe, expect, it } from "vitest";
import { createExclusive } from "./exclusive.ts";

describe("saving one at a time", () => {
  it("does not begin a second save while one is under way", async () => {
    const states: boolean[] = [];
    const exclusively = createExclusive((busy) => states.push(busy));
    const { promise, resolve } = Promise.withResolvers<string>();
    const first = exclusively(() => promise);
    let ran = false;
    const second = await exclusively(async () => {
      ran = true;
    });
    expect([second, ran, states]).toEqual([null, false, [true]]);
    resolve("saved");
    expect(await first).toBe("saved");
    expect(states).toEqual([true, false]);
  });

  it("can save again after a save that failed", async () => {
    const states: boolean[] = [];
    const exclusively = createExclusive((busy) => states.push(busy));
    await expect(exclusively(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await exclusively(async () => "saved")).toBe("saved");
    expect(states).toEqual([true, false, true, false]);
  });
});
