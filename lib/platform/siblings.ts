import cluster from "node:cluster";

/**
 * The other processes that share this one's listener. A client's next request may reach any of them, so they have to
 * agree about more than processes on other machines do.
 */
export type Siblings = {
  /** Tells each of them; how it went is not known. */
  tell(topic: string, payload: unknown): void;
  /** Calls `handler` with what a sibling tells. */
  onTold(topic: string, handler: (payload: unknown) => void): void;
  /** Resolves once each of them has done what it does when asked, or after a second; `about` is passed on: JSON. */
  ask(topic: string, about: unknown): Promise<void>;
  /** What each of them answers when asked; null where one of them takes longer than that. */
  collect(topic: string, patienceMs: number): Promise<unknown[] | null>;
  /** What to do when a sibling asks, and to answer if it collects: JSON. */
  onAsked(topic: string, handler: (about: unknown) => Promise<unknown>): void;
};

/** A process that serves, at which port; and for people: at which address, from which database. */
export type Serving = { port: number; address: string; database: string };

/** What a process sends to its supervisor: that it serves, and what is to be passed on. */
export type SiblingMessage =
  | Serving
  | { tell: string; payload: unknown }
  | { ask: string; about: unknown; id: number }
  | { answer: string; payload?: unknown };

/** What the supervisor sends to a process. */
export type SupervisorMessage =
  | { told: string; payload: unknown }
  | { asked: string; about: unknown; question: string }
  | { answered: number; payloads: unknown[] };

/** A sibling that takes longer is busy or about to end, and nobody waits for it. */
const LONGEST_WAIT_MS = 1_000;

export const NO_SIBLINGS: Siblings = {
  tell: () => undefined,
  onTold: () => undefined,
  ask: async () => undefined,
  collect: async () => [],
  onAsked: () => undefined,
};

/** The siblings of this process; none if it was started on its own. */
export function siblings(): Siblings {
  const { worker } = cluster;
  if (!worker) return NO_SIBLINGS;
  const told = new Map<string, (payload: unknown) => void>();
  const asked = new Map<string, (about: unknown) => Promise<unknown>>();
  const waiting = new Map<number, (payloads: unknown[]) => void>();
  const send = (message: SiblingMessage) => worker.send(message, () => undefined);
  let questions = 0;
  worker.on("message", (message: SupervisorMessage) => {
    if ("told" in message) told.get(message.told)?.(message.payload);
    else if ("answered" in message) waiting.get(message.answered)?.(message.payloads);
    else if ("asked" in message) {
      const answer = (payload?: unknown) => send({ answer: message.question, payload });
      (asked.get(message.asked)?.(message.about) ?? Promise.resolve()).then(answer, () => answer());
    }
  });
  const question = (topic: string, about: unknown, patienceMs: number): Promise<unknown[] | null> =>
    new Promise((resolve) => {
      questions += 1;
      const id = questions;
      const done = (payloads: unknown[] | null) => {
        clearTimeout(late);
        waiting.delete(id);
        resolve(payloads);
      };
      const late = setTimeout(() => done(null), patienceMs).unref();
      waiting.set(id, done);
      send({ ask: topic, about, id });
    });
  const current = new Map<string, Promise<void>>();
  const next = new Map<string, Promise<void>>();
  return {
    tell: (topic, payload) => void send({ tell: topic, payload }),
    onTold: (topic, handler) => void told.set(topic, handler),
    onAsked: (topic, handler) => void asked.set(topic, handler),
    collect: (topic, patienceMs) => question(topic, null, patienceMs),
    ask(topic, about) {
      // What is asked already may have been answered in part: those who come meanwhile share the next question.
      const key = JSON.stringify([topic, about]);
      const running = current.get(key);
      const following = next.get(key);
      if (following) return following;
      const begin = () => {
        next.delete(key);
        const answered = question(topic, about, LONGEST_WAIT_MS).then(() => {
          if (current.get(key) === answered) current.delete(key);
        });
        current.set(key, answered);
        return answered;
      };
      if (!running) return begin();
      const later = running.then(begin);
      next.set(key, later);
      return later;
    },
  };
}
