import { countByState } from "#lib/notifications/deliveries/store.ts";
import { selectDestinations } from "#lib/notifications/destinations/store.ts";
import type { Contributor, InboxItem } from "#lib/notifications/inbox/item.ts";
import { plural } from "#lib/platform/format.ts";

/** Destinations with messages that were given up. */
export const deliveries: Contributor = {
  scope: "project:read",
  administrators: true,
  find: async ({ db, project, user, limit }) => {
    if (!user) return [];
    const counts = await countByState(db, project.id);
    if (![...counts.values()].some(({ dead }) => dead > 0)) return [];
    const { rows } = await selectDestinations(db, { project_id: project.id }, { limit, offset: 0 });
    return rows.flatMap(({ id, name }): InboxItem[] => {
      const { dead = 0, dead_since = null } = counts.get(id) ?? {};
      if (dead === 0 || !dead_since) return [];
      return [
        {
          key: `destination/${id}/dead`,
          version: `${dead}/${dead_since.toISOString()}`,
          urgency: "today",
          title: `${plural(dead, "notification")} did not reach ${name}`,
          why: "Several attempts failed, and whoever relies on being notified does not know.",
          since: dead_since,
          action: {
            label: "See what failed",
            path: `settings/notifications?destination=${id}&state=dead`,
          },
        },
      ];
    });
  },
};
