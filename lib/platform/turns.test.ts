import { describe, expect, it } from "vitest";
import { createTurns } from "./turns.ts";

/** The names of those that have begun, in their order. */
function recorder() {
  const begun: string[] = [];
  const note = (name: string, { begins }: { begins: Promise<boolean> }) =>
    void begins.then((may) => begun.push(may ? name : `not ${name}`));
  return { begun, note, settled: () => new Promise((resolve) => setImmediate(resolve)) };
}

describe("turns", () => {
  it("let one of a project run at a time, and only some of all, in their order", async () => {
    const take = createTurns({ atOnce: 2, waitingMax: 5 });
    const { begun, note, settled } = recorder();
    const all = (["a1", "a2", "b1", "c1", "a3"] as const).map((name) => {
      const turn = take(name.charCodeAt(0));
      note(name, turn);
      return turn;
    });
    await settled();
    expect(begun).toEqual(["a1", "b1"]);
    all[2]?.end();
    await settled();
    expect(begun).toEqual(["a1", "b1", "c1"]);
    all[0]?.end();
    all[0]?.end();
    await settled();
    expect(begun).toEqual(["a1", "b1", "c1", "a2"]);
    all[1]?.end();
    await settled();
    expect(begun.at(-1)).toBe("a3");
  });

  it("can be given up before they begin", async () => {
    const take = createTurns({ atOnce: 1, waitingMax: 5 });
    const { begun, note, settled } = recorder();
    const [first, second, third] = [take(1), take(1), take(1)];
    note("second", second);
    note("third", third);
    second.end();
    first.end();
    await settled();
    expect(begun).toEqual(["not second", "third"]);
  });

  it("are refused where too many of the project wait", () => {
    const take = createTurns({ atOnce: 1, waitingMax: 2 });
    const [, waiting] = [take(1), take(1), take(1)];
    expect(() => take(1)).toThrow(expect.objectContaining({ status: 429, headers: { "Retry-After": "5" } }));
    take(2);
    waiting?.end();
    expect(() => take(1)).not.toThrow();
  });
});
