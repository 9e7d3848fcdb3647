import { describe, expect, it } from "vitest";
import { createFairQueue } from "./fair_queue.ts";
import type { ProjectEvent } from "./ingest_store.ts";
import { eventOf } from "./testing.ts";

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

describe("the room for waiting events", () => {
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
