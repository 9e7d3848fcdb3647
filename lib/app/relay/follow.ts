import { setTimeout as delay } from "node:timers/promises";
import { relayContract } from "./contract.ts";

export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

type Options = {
  url: string;
  key: string;
  fetch: Fetch;
  /** What the bundle in use is called. */
  content: () => string | null;
  /** It is not the latest one. */
  onChange: () => void;
  /** The origin is there, and has nothing new. */
  onHeartbeat: () => void;
  /** The stream was opened or has ended. */
  onState: () => void;
};

/** The origin sends a heartbeat every 20 s: without two of them, the connection is taken to be broken. */
const SILENCE_MS = 50_000;
/** The first pause before another attempt, and the longest: an origin of an earlier release has no stream. */
const PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;

/** Follows the origin's stream, again and again after it has ended. */
export function createFollower({ url, key, fetch, content, onChange, onHeartbeat, onState }: Options) {
  const ending = new AbortController();
  let isOpen = false;

  const setOpen = (now: boolean): void => {
    if (isOpen === now) return;
    isOpen = now;
    if (!ending.signal.aborted) onState();
  };

  /** Reads one stream until it ends; whether it was one. */
  const read = async (): Promise<boolean> => {
    const connection = new AbortController();
    const silence = setTimeout(() => connection.abort(), SILENCE_MS);
    const signal = AbortSignal.any([ending.signal, connection.signal]);
    const last = content();
    try {
      const response = await fetch(url + relayContract.stream.path, {
        headers: {
          authorization: `Bearer ${key}`,
          accept: "text/event-stream",
          ...(last !== null && { "last-event-id": last }),
        },
        redirect: "manual",
        signal,
      });
      if (response.status !== 200 || !response.body) {
        await response.body?.cancel();
        return false;
      }
      setOpen(true);
      let rest = "";
      for await (const text of response.body.pipeThrough(new TextDecoderStream(), { signal })) {
        silence.refresh();
        const lines = (rest + text).split("\n");
        rest = lines.pop() ?? "";
        if (lines.some((line) => line.startsWith("data:"))) onChange();
        else if (lines.some((line) => line.startsWith(":"))) onHeartbeat();
      }
      return true;
    } finally {
      clearTimeout(silence);
      setOpen(false);
    }
  };

  const follow = async (): Promise<void> => {
    let pause = PAUSE_MS;
    while (!ending.signal.aborted) {
      const began = performance.now();
      await read().catch(() => false);
      // A stream that lasted says that the next one will, too.
      pause = performance.now() - began > SILENCE_MS ? PAUSE_MS : pause;
      // Relays that lost their streams together need not come back together.
      await delay(pause * (0.5 + Math.random()), undefined, { signal: ending.signal, ref: false }).catch(
        () => undefined,
      );
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
  };

  let following: Promise<void> | null = null;
  return {
    begin(): void {
      following ??= follow();
    },
    async end(): Promise<void> {
      ending.abort();
      await following;
    },
    get isOpen() {
      return isOpen;
    },
  };
}
