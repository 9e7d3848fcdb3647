import { selectFailed } from "#lib/flags/scheduled_changes/store.ts";
import type { Contributor, InboxItem } from "#lib/notifications/inbox/item.ts";

const SHOWN_MS = 14 * 86_400_000;

/** Schedules whose last run changed nothing. */
export const scheduledChanges: Contributor = {
  scope: "feature_flag:read",
  find: async ({ runtime, db, project, now, limit }) => {
    const since = new Date(now.getTime() - SHOWN_MS);
    const rows = await selectFailed(db, { project_id: project.id, since, limit });
    const { byId } = await runtime.flags.project(project.id);
    return rows.flatMap((row): InboxItem[] => {
      const flag = byId.get(row.flag_id);
      if (!flag || flag.deleted) return [];
      return [
        {
          key: `scheduled_change/${row.id}/failed`,
          type: "scheduled_change.failed",
          version: row.updated_at.toISOString(),
          urgency: "today",
          title: `A scheduled change of ${flag.key} was not made`,
          why: row.failure_reason ?? "",
          since: row.updated_at,
          action: { label: "See the schedule", path: `feature_flags/${flag.id}#schedule-${row.id}` },
          resource: { type: "feature_flag", id: String(flag.id), name: flag.key },
        },
      ];
    });
  },
};
