import { DASHBOARD_MARK, dashboardMark } from "#lib/platform/dashboard-mark.ts";
import type { Send } from "#lib/platform/http/client.ts";

const slot = Symbol.for("switchyard.handle");
const shared: typeof globalThis & { [slot]?: Send } = globalThis;

/** Our own API in this process. The server publishes the one it serves, so that pages share its caches. */
export const ownHandle: Send = async (request) => {
  const running = shared[slot] ?? (await import("#lib/app/api.ts")).handle;
  request.headers.set(DASHBOARD_MARK, dashboardMark());
  return running(request);
};
