import { describe, expect, it } from "vitest";
import { eventOf } from "#testing/events.ts";
import { createFairQueue } from "./fair-queue.ts";
import type { ProjectEvent } from "./ingest-store.ts";

const eventsOf = (project_id: number, count: number, properties = {}): ProjectEvent[] =>
  Array.from({ length: count }, (_, n) => ({ project_id, event: eventOf(`e${n}`, "u", properties) }));

function queueOf(events: ProjectEvent[]) {
  const queue = createFairQueue<ProjectEvent>();
  for (const event of events) queue.push(event);
  return queue;
}

describe("what a transaction takes", () => {
  it("holds everybody's event although one project has a backlog", () => {
    const queue = queueOf([...eventsOf(1, 50_000), ...eventsOf(2, 1), ...eventsOf(3, 150)]);
    const taken = queue.take();
    const of = (project: number) => taken.filter(({ project_id }) => project_id === project).length;
    expect([of(2), of(3)]).toEqual([1, 150]);
    expect(taken.length).toBe(2_000);
  });

  it("keeps the order of each project, and loses nothing", () => {
    const sent = [...eventsOf(1, 3_000), ...eventsOf(2, 2_500), ...eventsOf(3, 7)];
    const queue = queueOf(sent);
    const taken: ProjectEvent[] = [];
    while (queue.size > 0) taken.push(...queue.take());
    for (const project of [1, 2, 3]) {
      const namesOf = (events: ProjectEvent[]) =>
        events.filter(({ project_id }) => project_id === project).map(({ event }) => event.event);
      expect(namesOf(taken)).toEqual(namesOf(sent));
    }
    expect(queue.take()).toEqual([]);
  });

  it("begins with another project each time, when there are more than fit", () => {
    const queue = queueOf(Array.from({ length: 60 }, (_, n) => eventsOf(n, 200)).flat());
    const projectsOf = () => new Set(queue.take().map(({ project_id }) => project_id));
    const [first, second, third] = [projectsOf(), projectsOf(), projectsOf()];
    expect([first.size, second.size, third.size]).toEqual([20, 20, 20]);
    expect(new Set([...first, ...second, ...third]).size).toBe(60);
  });

  it("is less of events that are large or set many properties, and one at least", () => {
    expect(queueOf(eventsOf(1, 50, { text: "x".repeat(1_000_000) })).take().length).toBe(9);
    const many = { $set: Object.fromEntries(Array.from({ length: 4_000 }, (_, n) => [`p${n}`, n])) };
    expect(queueOf(eventsOf(1, 50, many)).take().length).toBe(2);
  });
});

describe("turns", () => {
  it("are a hundred events each, in the order in which projects came", () => {
    const taken = queueOf([...eventsOf(7, 250), ...eventsOf(3, 120), ...eventsOf(5, 1)]).take();
    const turns: [number, number][] = [];
    for (const { project_id } of taken) {
      const last = turns.at(-1);
      if (last?.[0] === project_id) last[1] += 1;
      else turns.push([project_id, 1]);
    }
    expect(turns).toEqual([
      [7, 100],
      [3, 100],
      [5, 1],
      [7, 100],
      [3, 20],
      [7, 50],
    ]);
  });

  const numbers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [n, n]));

  it.each<{ of: string; properties: Record<string, unknown>; count: number }>([
    { of: "5,000 properties of a person", properties: { $set: numbers(5_000) }, count: 1 },
    { of: "5,000 first properties of a person", properties: { $set_once: numbers(5_000) }, count: 1 },
    { of: "5,000 properties of a group", properties: { $group_set: numbers(5_000) }, count: 1 },
    {
      of: "5,000 of all kinds",
      properties: { $set: numbers(2_000), $set_once: numbers(2_000), $group_set: numbers(1_000) },
      count: 1,
    },
    { of: "50 properties of a person", properties: { $set: numbers(50) }, count: 96 },
    { of: "plain properties", properties: numbers(50), count: 2_000 },
    {
      of: "changes that are none",
      properties: { $set: null, $set_once: "text", $group_set: 7 },
      count: 2_000,
    },
  ])("end with the transaction: $count events with $of", ({ properties, count }) => {
    const event = { ...eventOf("e", "u"), properties, json: "" };
    const queue = queueOf(new Array(2_500).fill({ project_id: 1, event }));
    expect(queue.take().length).toBeCloseTo(count, -1);
  });
});

describe("the number of waiting events", () => {
  it("is what came and was not taken", () => {
    const queue = queueOf(eventsOf(1, 2_100));
    expect(queue.size).toBe(2_100);
    queue.take();
    expect(queue.size).toBe(100);
    queue.push({ project_id: 2, event: eventOf("e", "u") });
    expect(queue.size).toBe(101);
    queue.take();
    expect(queue.size).toBe(0);
  });
});

describe("the room for waiting events", () => {
  const MB = 1024 * 1024;
  const megabyte = "x".repeat(MB);
  const large = (project_id: number, count: number): ProjectEvent[] =>
    new Array(count).fill({ project_id, event: { ...eventOf("e", "u"), json: megabyte } });
  const events = (count: number, json = "") => new Array(count).fill({ json });

  it.each<{ waiting: [project: number, events: number][]; of: number; fits: number }>([
    { waiting: [[1, 49_999]], of: 1, fits: 1 },
    { waiting: [[1, 40_000]], of: 1, fits: 10_000 },
    { waiting: [[1, 1]], of: 1, fits: 49_999 },
    { waiting: [[1, 1]], of: 2, fits: 99_999 },
    {
      waiting: [
        [1, 50_000],
        [2, 49_999],
      ],
      of: 2,
      fits: 1,
    },
    {
      waiting: [
        [1, 50_000],
        [2, 45_000],
      ],
      of: 3,
      fits: 5_000,
    },
  ])("beside $waiting is $fits for project $of", ({ waiting, of, fits }) => {
    const queue = createFairQueue<ProjectEvent>();
    const event = eventOf("e", "u");
    for (const [project_id, count] of waiting)
      for (let n = 0; n < count; n += 1) queue.push({ project_id, event });
    expect([queue.hasRoomFor(of, events(fits)), queue.hasRoomFor(of, events(fits + 1))]).toEqual([
      true,
      false,
    ]);
  });

  it.each<{ waiting: [project: number, megabytes: number][]; of: number; fits: number }>([
    { waiting: [[1, 63]], of: 1, fits: 1 },
    { waiting: [[1, 1]], of: 1, fits: 63 },
    { waiting: [[1, 1]], of: 2, fits: 127 },
    {
      waiting: [
        [1, 64],
        [2, 63],
      ],
      of: 3,
      fits: 1,
    },
    {
      waiting: [
        [1, 60],
        [2, 60],
        [3, 1],
      ],
      of: 3,
      fits: 7,
    },
  ])("beside megabytes $waiting is $fits for project $of", ({ waiting, of, fits }) => {
    const queue = queueOf(waiting.flatMap(([project, megabytes]) => large(project, megabytes)));
    const full = events(fits, megabyte);
    expect([queue.hasRoomFor(of, full), queue.hasRoomFor(of, [...full, { json: "x" }])]).toEqual([
      true,
      false,
    ]);
  });

  it("is free again for what was taken", () => {
    const queue = queueOf([...large(1, 64), ...large(2, 64)]);
    const one = events(1, megabyte);
    expect([1, 2, 3].map((project) => queue.hasRoomFor(project, one))).toEqual([false, false, false]);
    const taken = queue.take();
    expect(taken.length).toBeGreaterThan(0);
    expect(queue.hasRoomFor(3, events(taken.length, megabyte))).toBe(true);
    expect(queue.hasRoomFor(3, events(taken.length + 1, megabyte))).toBe(false);
    const own = taken.filter(({ project_id }) => project_id === 1).length;
    expect(queue.hasRoomFor(1, events(own, megabyte))).toBe(true);
    expect(queue.hasRoomFor(1, events(own + 1, megabyte))).toBe(false);
  });

  it("is for anything where nothing waits", () => {
    const queue = createFairQueue<ProjectEvent>();
    expect(queue.hasRoomFor(1, events(200_000))).toBe(true);
    expect(queue.hasRoomFor(1, events(200, megabyte))).toBe(true);
  });

  it("is a project's own first, and then everybody's", () => {
    const one = [eventOf("e", "u")];
    const queue = queueOf(eventsOf(1, 50_000));
    expect([queue.hasRoomFor(1, one), queue.hasRoomFor(2, one)]).toEqual([false, true]);
    for (const event of eventsOf(2, 50_000)) queue.push(event);
    expect([queue.hasRoomFor(2, one), queue.hasRoomFor(3, one)]).toEqual([false, false]);
    queue.take();
    expect(queue.hasRoomFor(3, one)).toBe(true);
  });
});
