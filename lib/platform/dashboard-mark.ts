import { randomUUID } from "node:crypto";

const slot = Symbol.for("switchyard.dashboard_mark");
const shared: typeof globalThis & { [slot]?: string } = globalThis;

/** The header by which requests of this process's own dashboard are known. */
export const DASHBOARD_MARK = "switchyard-dashboard";

/** Its value, which never leaves the process. */
export const dashboardMark = (): string => {
  shared[slot] ??= randomUUID();
  return shared[slot];
};
