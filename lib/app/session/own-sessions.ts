import type { Sessions } from "#lib/identity/sessions/service.ts";

const slot = Symbol.for("switchyard.sessions");
const shared: typeof globalThis & { [slot]?: Sessions } = globalThis;

/** The sessions of this process, which it holds in memory beside the API that it serves. */
export const ownSessions = async (): Promise<Sessions> =>
  shared[slot] ?? (await import("#lib/app/api.ts")).sessions();
