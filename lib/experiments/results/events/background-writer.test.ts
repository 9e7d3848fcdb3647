import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createBackgroundWriter, runSerially } from "./background-writer.ts";

describe("work on a connection", () => {
  it("is done one thing after the other, also after a failure", async () => {
    const connection = {};
    const happened: string[] = [];
    const work = (name: string) => async () => {
      happened.push(`${name} begins`);
      await turn();
      happened.push(`${name} ends`);
      if (name === "b") throw new Error("b failed");
      return name;
    };
    const results = await Promise.allSettled(
      ["a", "b", "c"].map((name) => runSerially(connection, work(name))),
    );
    expect(happened).toEqual(["a", "b", "c"].flatMap((name) => [`${name} begins`, `${name} ends`]));
    expect(results).toMatchObject([{ value: "a" }, { reason: { message: "b failed" } }, { value: "c" }]);
  });

  it("does not wait for that of another connection", async () => {
    const held = Promise.withResolvers<void>();
    const one = runSerially({}, () => held.promise);
    expect(await runSerially({}, async () => "other")).toBe("other");
    held.resolve();
    await one;
  });
});

describe("writing in the background", () => {
  it("goes on while more is computed, and has all been done at the end", async () => {
    const held = Promise.withResolvers<void>();
    const written: number[] = [];
    const writer = createBackgroundWriter({});
    await writer.write(async () => {
      await held.promise;
      written.push(1);
    });
    expect(written).toEqual([]);
    held.resolve();
    await writer.write(async () => {
      await turn();
      written.push(2);
    });
    await writer.end();
    expect(written).toEqual([1, 2]);
  });

  it("tells of a failure to whoever writes next or waits for the end, and to nobody before", async () => {
    const failing = async () => {
      throw new Error("The disk is full.");
    };
    const written: number[] = [];
    const writer = createBackgroundWriter({});
    await writer.write(failing);
    // An unhandled rejection would be noticed by now.
    await turn();
    await turn();
    await expect(writer.write(async () => void written.push(1))).rejects.toThrow("The disk is full.");
    await expect(writer.end()).rejects.toThrow("The disk is full.");
    expect(written).toEqual([]);
  });
});
