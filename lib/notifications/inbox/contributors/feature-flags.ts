import { createHash } from "node:crypto";
import type { Flag } from "#lib/flags/feature_flags/cache.ts";
import { STALE_AFTER_MS, statusOf } from "#lib/flags/feature_flags/status.ts";
import type { Contributor, InboxItem } from "#lib/notifications/inbox/item.ts";
import { plural } from "#lib/platform/format.ts";

const NAMED = 3;

/** When a stale flag became one. */
const staleSince = ({ last_called_at, created_at }: Flag): number =>
  (last_called_at ?? created_at).getTime() + STALE_AFTER_MS;

/** One item for all of them: they are cleaned up together. */
function staleItem(stale: readonly Flag[]): InboxItem {
  const named = stale.slice(0, NAMED).map(({ key }) => key);
  const more = stale.length > NAMED ? ` and ${stale.length - NAMED} more` : "";
  const ids = stale.map(({ id }) => id).sort((a, b) => a - b);
  return {
    key: "feature_flags/stale",
    type: "feature_flag.stale",
    version: createHash("sha256").update(ids.join()).digest("hex").slice(0, 16),
    urgency: "soon",
    title: `${plural(stale.length, "flag is stale", "flags are stale")}: ${named.join(", ")}${more}`,
    why: "Code still asks for a decision that nobody makes any more, or nothing asks for it at all.",
    since: new Date(Math.max(...stale.map(staleSince))),
    action: { label: "Clean up", path: "feature_flags?status=stale" },
  };
}

const rolledBackItem = ({ id, key, updated_at, version }: Flag): InboxItem => ({
  key: `feature_flag/${id}/rolled_back`,
  version: String(version),
  urgency: "now",
  title: `${key} was turned off by a rollback condition`,
  why: "Something that was watched crossed its threshold, so everybody gets what the code does without the flag.",
  since: updated_at,
  action: { label: "Look at the flag", path: `feature_flags/${id}` },
  resource: { type: "feature_flag", id: String(id), name: key },
});

/** Flags that rollback conditions turned off, and stale ones. Both are in memory. */
export const featureFlags: Contributor = {
  scope: "feature_flag:read",
  find: async ({ runtime, project, now, limit }) => {
    const { live } = await runtime.flags.project(project.id);
    const own = live.filter(({ creation_context }) => creation_context !== "surveys");
    const rolledBack = own.filter(({ active, performed_rollback }) => !active && performed_rollback === true);
    const stale = own.filter((flag) => statusOf(flag, now).status === "STALE");
    return [
      ...rolledBack.slice(0, limit - 1).map(rolledBackItem),
      ...(stale.length > 0 ? [staleItem(stale)] : []),
    ];
  },
};
