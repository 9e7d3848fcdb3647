import type { Limits } from "#lib/platform/http/mount.ts";

type Handle = (request: Request) => Promise<Response>;

type Front = { handle: Handle; close: () => Promise<void> };

/** What stands between tests and the services that they start; null: nothing. Set before a suite is loaded. */
export const front: {
  of: ((service: { handle: Handle; key: string; limits: Limits }) => Promise<Front>) | null;
} = {
  of: null,
};
