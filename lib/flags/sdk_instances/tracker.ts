import { LRUCache } from "lru-cache";
import type { Definitions, Snapshot } from "#lib/flags/feature_flags/evaluation/definitions.ts";
import { createInstanceId, type HeldTag } from "#lib/flags/feature_flags/evaluation/etag.ts";
import { programOf } from "#lib/flags/sdk/agent.ts";
import { asDatabaseUnavailable } from "#lib/platform/db/errors.ts";
import { log } from "#lib/platform/log.ts";
import { inBackground } from "#lib/platform/tracing.ts";
import type { InstanceRow, InstanceStorage, KnownInstance, Requests, SeenVersion } from "./store.ts";

/** What is held in memory of an instance: the last thing that this process saw of it. */
type Tracked = {
  row: Omit<InstanceRow, "last_seen_at" | "interval_ms">;
  lastSeen: number;
  /** The latest pauses between its requests, in milliseconds; the oldest is overwritten next. */
  pauses: number[];
  next: number;
  /** Whether it has said what it has since it was given its id. */
  hasReturned: boolean;
  fingerprint: string;
};

/** A request for definitions. */
export type Asked = {
  project_id: number;
  snapshot: Snapshot;
  held: HeldTag | null;
  /** Whether it has these definitions already. */
  isKnown: boolean;
  agent: string | null;
  address: string | null;
  now: number;
};

const PAUSES = 5;
/** Instances of one project that a process remembers; those unheard of for longest are forgotten first. */
const INSTANCES_MAX = 10_000;
const FINGERPRINTS_MAX = 1_000;
/** Programs of one project whose requests are counted apart, until the counts are stored. */
const PROGRAMS_MAX = 200;
/** An id that was not sent back for so long never will be. */
const RETURNS_WITHIN_MS = 90_000;
/** How soon what was seen is stored. */
export type Pace = {
  /** What an instance has. */
  changes_ms: number;
  /** That it was there. */
  visits_ms: number;
  /** Whether visits are stored with every change. */
  together: boolean;
};
const PACE: Pace = { changes_ms: 1_000, visits_ms: 20_000, together: false };
/** Naming definitions writes all of them: of changes that follow each other faster, the last ones are named. */
const NAME_EVERY_MS = 500;
const CLEAN_UP_MS = 10 * 60_000;

const flagVersions = ({ flags }: Snapshot): Record<string, number> =>
  Object.fromEntries(flags.live.map(({ id, version }) => [id, version]));

function usualPause(pauses: readonly number[]): number | null {
  const sorted = pauses.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? null;
}

/** What is stored: what instances have, and also that they were there, of all projects or of one. */
type What = "changes" | "all" | number;

type ProjectInstances = {
  instances: LRUCache<string, Tracked>;
  /** Ids of callers that never sent one back, by what is known of them. */
  silentCallers: LRUCache<string, string>;
  content: string | null;
};

/**
 * Follows which definitions each instance of an SDK has. Requests only change memory; what they changed is stored in
 * batches, a second later at most, and each process stores what it saw: in the database, or, a relay, at its origin.
 */
export function createTracker(
  storage: InstanceStorage,
  definitions: Pick<Definitions, "project">,
  pace: Pace = PACE,
) {
  const projects = new Map<number, ProjectInstances>();
  /** Instances whose definitions changed; those that were merely there; those that have not come back yet. */
  let changes = new Set<Tracked>();
  const visits = new Set<Tracked>();
  const fresh = new Set<Tracked>();
  /** Further ids of callers that are known under one. */
  let duplicates: KnownInstance[] = [];
  let versions = new Map<string, SeenVersion>();
  let requests = new Map<string, Requests>();
  let timer: NodeJS.Timeout | undefined;
  let timerAt = Number.POSITIVE_INFINITY;
  /** Projects whose definitions are to be named, and when those of each last were. */
  const toName = new Set<number>();
  const namedAt = new Map<number, number>();
  let cleanedUp = 0;
  let visitsStored = 0;
  let storing: Promise<void> = Promise.resolve();
  let askOthers: (projectId: number) => Promise<void> = async () => undefined;

  const ofProject = (projectId: number): ProjectInstances => {
    const known = projects.get(projectId) ?? {
      instances: new LRUCache<string, Tracked>({ max: INSTANCES_MAX }),
      silentCallers: new LRUCache<string, string>({ max: FINGERPRINTS_MAX }),
      content: null,
    };
    projects.set(projectId, known);
    return known;
  };

  const storeSoon = (ms: number): void => {
    const at = Date.now() + ms;
    if (timer !== undefined && timerAt <= at) return;
    clearTimeout(timer);
    timerAt = at;
    timer = setTimeout(() => {
      timer = undefined;
      timerAt = Number.POSITIVE_INFINITY;
      const isTime = pace.together || Date.now() - visitsStored >= pace.visits_ms;
      void inBackground("store SDK instances", {}, () => store(isTime ? "all" : "changes"));
    }, ms).unref();
  };

  const noteChange = (tracked: Tracked): void => {
    changes.add(tracked);
    storeSoon(pace.changes_ms);
  };

  /** Whoever never sent an id back is one caller, however many ids it was given. */
  const endFresh = (now: number): void => {
    for (const tracked of fresh) {
      if (tracked.hasReturned) fresh.delete(tracked);
      else if (now - tracked.lastSeen > RETURNS_WITHIN_MS) {
        fresh.delete(tracked);
        const { project_id, id, relay_id } = tracked.row;
        const { instances, silentCallers } = ofProject(project_id);
        const known = silentCallers.get(tracked.fingerprint);
        if (known === undefined) {
          silentCallers.set(tracked.fingerprint, id);
          tracked.row.is_tagged = false;
          changes.add(tracked);
        } else {
          instances.delete(id);
          changes.delete(tracked);
          visits.delete(tracked);
          duplicates.push({ project_id, id, relay_id, last_seen_at: new Date(tracked.lastSeen) });
        }
      }
    }
  };

  /** Takes what is to be stored; rows as they are now, since they go on changing. */
  const take = (what: What, now: number) => {
    endFresh(now);
    const isChosen = ({ row }: Tracked) => what === "all" || row.project_id === what;
    const tracked = new Set([...changes, ...[...visits].filter(isChosen)]);
    const taken = {
      tracked,
      rows: [...tracked].map(({ row, lastSeen, pauses }) => ({
        ...row,
        last_seen_at: new Date(lastSeen),
        interval_ms: usualPause(pauses),
      })),
      versions,
      duplicates,
      requests: what === "all" ? requests : new Map<string, Requests>(),
    };
    changes = new Set();
    versions = new Map();
    duplicates = [];
    for (const each of tracked) visits.delete(each);
    if (what === "all") {
      requests = new Map();
      visitsStored = now;
    }
    return taken;
  };

  /** What could not be stored is stored with the next batch. */
  const putBack = (taken: ReturnType<typeof take>): void => {
    for (const [name, version] of taken.versions) versions.set(name, version);
    for (const tracked of taken.tracked) {
      const { project_id, id } = tracked.row;
      // What is forgotten meanwhile does not wait: there may be no place to store it for days.
      if (ofProject(project_id).instances.peek(id) === tracked) changes.add(tracked);
    }
    duplicates = [...taken.duplicates, ...duplicates].slice(-INSTANCES_MAX);
    for (const [name, counted] of taken.requests)
      requests.set(name, { ...counted, count: counted.count + (requests.get(name)?.count ?? 0) });
  };

  const write = async (what: What): Promise<void> => {
    const now = Date.now();
    const taken = take(what, now);
    try {
      await storage.storeInstances({
        versions: [...taken.versions.values()],
        rows: taken.rows,
        duplicates: taken.duplicates,
      });
      await storage.addRequests([...taken.requests.values()], new Date(now));
    } catch (error) {
      putBack(taken);
      if (!asDatabaseUnavailable(error)) log().error({ error }, "SDK instances could not be stored.");
      return;
    }
    if (now - cleanedUp < CLEAN_UP_MS) return;
    cleanedUp = now;
    await storage.deleteGone(new Date(now)).catch((error: unknown) => {
      if (!asDatabaseUnavailable(error)) log().error({ error }, "SDK instances could not be deleted.");
    });
  };

  /** Stores what instances have; also that they were there, of all of them or those of one project. */
  const store = (what: What): Promise<void> => {
    storing = storing.then(async () => {
      await write(what);
      if (changes.size + versions.size > 0) storeSoon(pace.changes_ms);
      else if (visits.size + requests.size + fresh.size > 0) storeSoon(pace.visits_ms);
    });
    return storing;
  };

  const begin = (asked: Asked, id: string, fingerprint: string): Tracked => {
    const { project_id, agent, address, now } = asked;
    const { name, version } = programOf(agent, "");
    const at = new Date(now);
    return {
      row: {
        project_id,
        id,
        sdk: name,
        sdk_version: version,
        address,
        has_stream: false,
        is_tagged: true,
        content: null,
        content_since: null,
        sent_content: null,
        sent_at: null,
        lost_answers: 0,
        first_seen_at: at,
        relay_id: null,
      },
      lastSeen: now,
      pauses: [],
      next: 0,
      hasReturned: false,
      fingerprint,
    };
  };

  /** The instance that asks: the one it says it is, the one that never says so, or a new one. */
  const instanceOf = (asked: Asked): Tracked => {
    const { held, project_id, agent, address } = asked;
    const { instances, silentCallers } = ofProject(project_id);
    const known = held && instances.get(held.instance);
    if (known) return known;
    const fingerprint = `${agent ?? ""}\n${address ?? ""}`;
    const silent = held ? undefined : silentCallers.get(fingerprint);
    const id = held?.instance ?? silent ?? createInstanceId();
    const found = (silent && instances.get(silent)) || begin(asked, id, fingerprint);
    instances.set(id, found);
    if (held) silentCallers.delete(fingerprint);
    else if (!silent) fresh.add(found);
    return found;
  };

  const notePause = (tracked: Tracked, now: number): void => {
    const pause = now - tracked.lastSeen;
    if (pause <= 0) return;
    tracked.pauses[tracked.next] = pause;
    tracked.next = (tracked.next + 1) % PAUSES;
  };

  const noteVersion = (projectId: number, content: string, snapshot: Snapshot, now: number): void => {
    const project = ofProject(projectId);
    if (project.content === content) return;
    project.content = content;
    const version = {
      project_id: projectId,
      content,
      flags: flagVersions(snapshot),
      created_at: new Date(now),
    };
    versions.set(`${projectId}/${content}`, version);
    storeSoon(pace.changes_ms);
  };

  /** Names the definitions of a project, if they have changed since they last were. */
  const nameChanged = async (projectId: number): Promise<void> => {
    if (!toName.delete(projectId)) return;
    namedAt.set(projectId, Date.now());
    const snapshot = await definitions.project(projectId);
    noteVersion(projectId, snapshot.content(), snapshot, Date.now());
  };

  return {
    /** Notes a request for definitions; returns the id of the instance that made it. */
    asked(asked: Asked): string {
      const { project_id, snapshot, held, isKnown, now } = asked;
      const content = snapshot.content();
      noteVersion(project_id, content, snapshot, now);
      const tracked = instanceOf(asked);
      const { row } = tracked;
      notePause(tracked, now);
      tracked.lastSeen = now;
      if (held) {
        tracked.hasReturned = true;
        row.is_tagged = true;
        if (row.content !== held.content) {
          row.content_since = row.sent_content === held.content && row.sent_at ? row.sent_at : new Date(now);
          row.content = held.content;
          noteChange(tracked);
        }
      }
      if (isKnown) {
        if (row.sent_content !== null || row.lost_answers > 0) noteChange(tracked);
        row.sent_content = null;
        row.sent_at = null;
        row.lost_answers = 0;
      } else {
        row.lost_answers =
          held && row.sent_content !== null && row.sent_content !== held.content ? row.lost_answers + 1 : 0;
        row.sent_content = content;
        row.sent_at = new Date(now);
        noteChange(tracked);
      }
      visits.add(tracked);
      if (timer === undefined) storeSoon(pace.visits_ms);
      return row.id;
    },
    /** Notes what a relay gets of a project, and with it all that follows. */
    relayed(projectId: number, snapshot: Snapshot): void {
      noteVersion(projectId, snapshot.content(), snapshot, Date.now());
    },
    /** Notes what is served of a project from now on, if there are instances that have what was served before. */
    changed(projectId: number): void {
      if (!projects.has(projectId) || toName.has(projectId)) return;
      toName.add(projectId);
      const pause = (namedAt.get(projectId) ?? 0) + NAME_EVERY_MS - Date.now();
      setTimeout(
        () => {
          nameChanged(projectId).catch((error: unknown) => {
            if (!asDatabaseUnavailable(error)) log().error({ error }, "A version could not be noted.");
          });
        },
        Math.max(0, pause),
      ).unref();
    },
    /** Notes that an instance opened a stream, or closed it. */
    hasStream(projectId: number, id: string, isOpen: boolean): void {
      const tracked = projects.get(projectId)?.instances.get(id);
      if (!tracked || tracked.row.has_stream === isOpen) return;
      tracked.row.has_stream = isOpen;
      noteChange(tracked);
    },
    /** Notes a request for evaluated flags. */
    evaluated(projectId: number, agent: string | null, url: string): void {
      const { name, version } = programOf(agent, url);
      const key = `${projectId}/${name}/${version}`;
      const known = requests.get(key);
      if (known) known.count += 1;
      else if (requests.size < PROGRAMS_MAX)
        requests.set(key, { project_id: projectId, sdk: name, sdk_version: version, count: 1 });
      if (timer === undefined) storeSoon(pace.visits_ms);
    },
    /** Stores what this process has seen of a project. */
    store,
    /** Stores what all processes behind the listener have seen of a project. */
    async storeEverywhere(projectId: number): Promise<void> {
      await Promise.all([nameChanged(projectId).then(() => store(projectId)), askOthers(projectId)]);
    },
    /** How to have the other processes behind the listener store what they have seen. */
    joinWith(ask: typeof askOthers): void {
      askOthers = ask;
    },
    /** Stores everything, before the process ends. */
    async end(): Promise<void> {
      clearTimeout(timer);
      await store("all");
      clearTimeout(timer);
    },
  };
}

export type Tracker = ReturnType<typeof createTracker>;
