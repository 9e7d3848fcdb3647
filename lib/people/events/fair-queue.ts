import type { ProjectEvent } from "./ingest-store.ts";

/** What one transaction stores. Small enough that the next one, with somebody else's events, is never far. */
const TAKEN_EVENTS = 2_000;
const TAKEN_CHARACTERS = 8 * 1024 * 1024;
/** Properties of persons and groups that its events set: each costs more than a plain event does. */
const TAKEN_PROPERTIES = 5_000;
/** How many events of a project are taken before the next project has its turn. */
const SHARE_EVENTS = 100;

/** What may wait, of one project and of all. */
const PROJECT_EVENTS = 50_000;
const PROJECT_CHARACTERS = 64 * 1024 * 1024;
const ALL_EVENTS = 2 * PROJECT_EVENTS;
const ALL_CHARACTERS = 2 * PROJECT_CHARACTERS;

type Backlog<E> = { items: E[]; characters: number };

const charactersOf = (events: { json: string }[]) => events.reduce((sum, { json }) => sum + json.length, 0);

const sizeOf = (value: unknown) =>
  typeof value === "object" && value !== null ? Object.keys(value).length : 0;

/** The part of a transaction that an event takes up. */
function loadOf({ json, properties: { $set, $set_once, $group_set } }: ProjectEvent["event"]): number {
  const properties = sizeOf($set) + sizeOf($set_once) + sizeOf($group_set);
  return 1 / TAKEN_EVENTS + json.length / TAKEN_CHARACTERS + properties / TAKEN_PROPERTIES;
}

/**
 * Events that wait to be stored. Those of a project leave in the order in which they came; projects take turns, a
 * share of events each.
 */
export function createFairQueue<E extends ProjectEvent>() {
  /** By project, in the order of their turns; none is empty. */
  const backlogs = new Map<number, Backlog<E>>();
  let size = 0;
  let characters = 0;

  /** Moves a share of the project whose turn it is to `taken`. @returns the load that this adds */
  const takeShare = (taken: E[], room: number): number => {
    const [next] = backlogs;
    if (!next) return 0;
    const [projectId, backlog] = next;
    let load = 0;
    let count = 0;
    for (const { event } of backlog.items) {
      if (count === SHARE_EVENTS || load >= room) break;
      load += loadOf(event);
      count += 1;
    }
    const share = backlog.items.splice(0, count);
    const length = charactersOf(share.map(({ event }) => event));
    taken.push(...share);
    size -= count;
    characters -= length;
    backlog.characters -= length;
    backlogs.delete(projectId);
    if (backlog.items.length > 0) backlogs.set(projectId, backlog);
    return load;
  };

  return {
    get size() {
      return size;
    },
    /** Whether so many more events of a project may wait. Where none of it waits, anything may. */
    hasRoomFor(projectId: number, events: { json: string }[]): boolean {
      const backlog = backlogs.get(projectId);
      const more = charactersOf(events);
      const isFullForAll = size + events.length > ALL_EVENTS || characters + more > ALL_CHARACTERS;
      if (!backlog) return size === 0 || !isFullForAll;
      const isFull =
        backlog.items.length + events.length > PROJECT_EVENTS ||
        backlog.characters + more > PROJECT_CHARACTERS;
      return !isFull && !isFullForAll;
    },
    push(item: E): void {
      const { length } = item.event.json;
      const backlog = backlogs.get(item.project_id) ?? { items: [], characters: 0 };
      backlogs.set(item.project_id, backlog);
      backlog.items.push(item);
      backlog.characters += length;
      size += 1;
      characters += length;
    },
    /** Takes out what the next transaction stores. */
    take(): E[] {
      const taken: E[] = [];
      let load = 0;
      while (backlogs.size > 0 && load < 1) load += takeShare(taken, 1 - load);
      return taken;
    },
  };
}
