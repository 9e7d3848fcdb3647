import { setTimeout as delay } from "node:timers/promises";
import type { Db } from "#lib/platform/db/connect.ts";
import type { Settings } from "#lib/platform/http/context.ts";
import { log } from "#lib/platform/log.ts";
import { keysOf } from "./keys.ts";
import { seal } from "./seal.ts";
import { sendCheckpoints } from "./send.ts";
import { hasNewRows } from "./store.ts";

const EVERY_MS = 1_000;
/** Checkpoints that another process has sealed and not sent are sent by then, and those that failed tried again. */
const SEND_EVERY_MS = 30_000;

/** Seals what is new every second, for as long as the process runs. @returns stops it */
export function startSealer(db: Db, settings: Settings): { stop: () => Promise<void> } {
  const keys = keysOf(settings);
  const stopping = new AbortController();
  const { signal } = stopping;
  let sendAt = 0;
  const work = async () => {
    const sealed = (await hasNewRows(db)) ? await seal(db, keys, signal) : null;
    if (!sealed && Date.now() < sendAt) return;
    sendAt = Date.now() + SEND_EVERY_MS;
    await sendCheckpoints(db, settings.audit ?? {});
  };
  const loop = async () => {
    let isTroubled = false;
    while (!signal.aborted) {
      // The database is away, or has no room: what is not sealed now is sealed later. Said once, and not each second.
      isTroubled = await work().then(
        () => false,
        (error: unknown) => {
          if (!isTroubled) log().warn({ error }, "The audit log is not sealed.");
          return true;
        },
      );
      await delay(EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  };
  const looping = loop();
  return {
    stop: async () => {
      stopping.abort();
      await looping;
    },
  };
}
