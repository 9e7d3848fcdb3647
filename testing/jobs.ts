import type { Runtime } from "#lib/app/runtime.ts";
import type { JobContext } from "#lib/platform/jobs/work.ts";
import { contextOf } from "#lib/platform/jobs/work.ts";

/** The context of a run that a test starts itself, at any moment it likes. */
export const jobContext = <P = unknown>(
  runtime: Runtime,
  { now, payload, key = "" }: { now: Date; payload?: P; key?: string },
): JobContext<P, Runtime> =>
  contextOf({
    runtime,
    db: runtime.db,
    now,
    key,
    payload: payload as P,
    signal: new AbortController().signal,
    store: async () => undefined,
  });
