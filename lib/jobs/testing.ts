import type { Runtime } from "#lib/runtime.ts";
import type { JobContext } from "./define.ts";
import { contextOf } from "./work.ts";

/** The context of a run that a test starts itself, at any moment it likes. */
export const jobContext = <P = unknown>(
  runtime: Runtime,
  { now, payload, key = "" }: { now: Date; payload?: P; key?: string },
): JobContext<P> =>
  contextOf({
    runtime,
    db: runtime.db,
    now,
    key,
    payload: payload as P,
    signal: new AbortController().signal,
    store: async () => undefined,
  });
