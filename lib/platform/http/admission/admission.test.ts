import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { expect, it } from "vitest";
import { ApiError } from "#lib/platform/http/errors.ts";
import { createAdmission, URGENCIES, type Urgency } from "./admission.ts";

/** A process in which each request takes a while once it has begun; notes what begins and what is refused. */
function startWork(milliseconds = 10) {
  let clock = 0;
  const admission = createAdmission(() => clock);
  const begin = (urgency: Urgency, caller: string) =>
    urgency === "management"
      ? admission.manage(caller, async () => undefined)
      : admission.toBegin(urgency, caller);
  const done: string[] = [];
  const refused: string[] = [];
  const request = (urgency: Urgency, caller: string, name = `${urgency} of ${caller}`) =>
    begin(urgency, caller).then(
      () => {
        clock += milliseconds;
        done.push(name);
      },
      (error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
        expect([error.status, error.headers]).toEqual([503, { "Retry-After": "1" }]);
        refused.push(name);
      },
    );
  /** Requests that arrive in one turn of the event loop: what can begin at once is done before the next is read. */
  const arrive = async (requests: (() => Promise<void>)[]) => {
    const answers: Promise<void>[] = [];
    for (const send of requests) {
      answers.push(send());
      for (let i = 0; i < 5; i++) await Promise.resolve();
    }
    return Promise.all(answers);
  };
  return { done, refused, request, arrive };
}

const times = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));

it("begins at once while there is time", async () => {
  const { done, request, arrive } = startWork(0.05);
  const answered = arrive(times(40, () => () => request("ingest", "ann")));
  await turn();
  expect(done).toHaveLength(40);
  await answered;
});

it.each(["evaluation", "ingest"] as const)(
  "begins as much %s that waits in a turn of the event loop as there is time for",
  async (urgency) => {
    const { done, request, arrive } = startWork(1);
    const answered = arrive(times(40, () => () => request(urgency, "ann")));
    let turns = 0;
    for (; done.length < 40; turns++) await turn();
    expect(turns).toBeLessThan(15);
    await answered;
  },
);

it.each(URGENCIES)(
  "begins every request (%s), although the system takes the processor away for longer than a slice again and again",
  async (urgency) => {
    let clock = 0;
    const admission = createAdmission(() => {
      clock += 6;
      return clock;
    });
    let begun = 0;
    for (const caller of times(8, String)) {
      const began = () => {
        begun += 1;
      };
      if (urgency === "management") admission.manage(caller, async () => began());
      else admission.toBegin(urgency, caller).then(began);
    }
    for (let turns = 0; turns < 100 && begun < 8; turns++) await turn();
    expect(begun).toBe(8);
  },
);

it("begins an evaluation that arrives while all that wait are calls of somebody who has enough under way", async () => {
  let clock = 0;
  const admission = createAdmission(() => clock);
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const calls = times(20, () => admission.manage("ann", () => ended));
  let begun = 0;
  for (let i = 1; i <= 10; i++) {
    clock += 10;
    admission.toBegin("evaluation", "bob").then(() => {
      begun += 1;
    });
    for (let turns = 0; turns < 3; turns++) await turn();
    expect(begun).toBe(i);
  }
  end();
  await Promise.all(calls);
});

it("begins an evaluation at once, although less urgent requests wait", async () => {
  const { done, request, arrive } = startWork(1);
  const answered = arrive(times(40, () => () => request("ingest", "ann")));
  await turn();
  const before = done.length;
  const evaluated = request("evaluation", "bob");
  for (let i = 0; i < 5; i++) await Promise.resolve();
  expect(done.slice(before)).toEqual(["evaluation of bob"]);
  expect(before).toBeLessThan(40);
  await Promise.all([answered, evaluated]);
});

it("lets callers take turns, so that nobody waits behind another's flood", async () => {
  const { done, request, arrive } = startWork();
  const flood = times(100, () => () => request("evaluation", "flood"));
  let before = 0;
  const other = () =>
    request("evaluation", "ann").then(() => {
      before = done.length;
    });
  await arrive([...flood, other]);
  // The first of the flood began before the other came, and one more had its turn.
  expect(before).toBeLessThanOrEqual(3);
  expect(done).toHaveLength(101);
});

it("begins the more urgent ones first, and lets some of the others through", async () => {
  const { done, request, arrive } = startWork(2);
  await arrive(URGENCIES.toReversed().flatMap((urgency) => times(40, () => () => request(urgency, "ann"))));
  const places = (urgency: Urgency) => done.flatMap((name, i) => (name.startsWith(urgency) ? i : []));
  const middle = (urgency: Urgency) => places(urgency)[20] ?? Number.NaN;
  expect(middle("evaluation")).toBeLessThan(middle("management"));
  expect(middle("management")).toBeLessThan(middle("ingest"));
  expect(places("ingest")[4]).toBeLessThan(Math.max(...places("evaluation")));
  expect(places("management")[4]).toBeLessThan(Math.max(...places("evaluation")));
});

it("refuses who has waited too long, the least urgent ones soonest", async () => {
  const { done, refused, request, arrive } = startWork(22);
  await arrive(URGENCIES.flatMap((urgency) => times(40, (i) => () => request(urgency, `caller ${i}`))));
  const count = (names: string[], urgency: Urgency) =>
    names.filter((name) => name.startsWith(urgency)).length;
  expect(count(refused, "evaluation")).toBe(0);
  expect(count(refused, "ingest")).toBeGreaterThan(count(refused, "management"));
  expect(count(done, "management")).toBeGreaterThan(count(done, "ingest"));
  expect(done.length + refused.length).toBe(120);
});

it("is open again as soon as the flood is over", async () => {
  const { done, request, arrive } = startWork(100);
  await arrive(times(100, () => () => request("ingest", "ann")));
  await turn();
  const before = done.length;
  await request("ingest", "ann");
  expect(done.length).toBe(before + 1);
});

it("lets only so many of a caller wait", async () => {
  const { refused, request, arrive } = startWork();
  const answered = arrive(times(2_100, () => () => request("evaluation", "ann")));
  await arrive([]);
  await answered;
  expect(refused.length).toBeGreaterThanOrEqual(99);
});

it("has only some calls of the management API under way, and fewer of one caller", async () => {
  const admission = createAdmission(() => 0);
  const running = new Map<string, number>();
  const most = new Map<string, number>();
  const finish: (() => void)[] = [];
  const countAll = () => [...running.values()].reduce((sum, count) => sum + count, 0);
  let mostOfAll = 0;
  const call = (caller: string) =>
    admission.manage(caller, async () => {
      running.set(caller, (running.get(caller) ?? 0) + 1);
      most.set(caller, Math.max(most.get(caller) ?? 0, running.get(caller) ?? 0));
      mostOfAll = Math.max(mostOfAll, countAll());
      await new Promise<void>((resolve) => finish.push(resolve));
      running.set(caller, (running.get(caller) ?? 0) - 1);
      if (finish.length % 7 === 0) throw new Error("It fails.");
    });
  const callers = times(10, (i) => `caller ${i}`);
  const calls = callers.flatMap((caller) => times(30, () => call(caller)));
  let settled = 0;
  for (const each of calls) void each.catch(() => undefined).finally(() => (settled += 1));
  while (settled < calls.length) {
    for (let i = 0; i < 40; i++) await turn();
    finish.shift()?.();
  }
  expect(Math.max(...most.values())).toBe(8);
  expect(mostOfAll).toBe(32);
});

it("begins or refuses each request once, and those of a caller in their order", async () => {
  const requests = fc.array(fc.record({ urgency: fc.constantFrom(...URGENCIES), caller: fc.nat(5) }), {
    maxLength: 200,
  });
  await fc.assert(
    fc.asyncProperty(requests, fc.integer({ min: 0, max: 50 }), async (all, milliseconds) => {
      const { done, refused, request } = startWork(milliseconds);
      await Promise.all(all.map(({ urgency, caller }, i) => request(urgency, String(caller), String(i))));
      expect([...done, ...refused].map(Number).toSorted((a, b) => a - b)).toEqual(all.map((_, i) => i));
      for (const urgency of URGENCIES)
        for (const caller of [0, 1, 2, 3, 4, 5]) {
          const own = done.map(Number).filter((i) => all[i]?.urgency === urgency && all[i].caller === caller);
          expect(own).toEqual(own.toSorted((a, b) => a - b));
        }
    }),
    { numRuns: 30 },
  );
});
