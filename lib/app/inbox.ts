import { changeRequests } from "#lib/notifications/inbox/contributors/change-requests.ts";
import { deliveries } from "#lib/notifications/inbox/contributors/deliveries.ts";
import { environments } from "#lib/notifications/inbox/contributors/environments.ts";
import { experiments } from "#lib/notifications/inbox/contributors/experiments.ts";
import { featureFlags } from "#lib/notifications/inbox/contributors/feature-flags.ts";
import { ramps } from "#lib/notifications/inbox/contributors/ramps.ts";
import { scheduledChanges } from "#lib/notifications/inbox/contributors/scheduled-changes.ts";
import { sdkInstances } from "#lib/notifications/inbox/contributors/sdk-instances.ts";
import { sdkRelays } from "#lib/notifications/inbox/contributors/sdk-relays.ts";
import { surveys } from "#lib/notifications/inbox/contributors/surveys.ts";
import type { Contributor } from "#lib/notifications/inbox/item.ts";
import { readJobState } from "#lib/platform/jobs/queue.ts";
import { SCHEDULED_BACKUP } from "./server/scheduled-backups.ts";

/** A backup on a schedule that failed. Where none are scheduled, there is no job. */
const backups: Contributor = {
  scope: "project:read",
  administrators: true,
  find: async ({ db, user }) => {
    const job = user && (await readJobState(db, SCHEDULED_BACKUP));
    if (!job?.last_error || job.state === "done") return [];
    return [
      {
        key: "backup/failed",
        version: job.last_error.slice(0, 100),
        urgency: "now",
        title: "The last backup failed",
        why: `What has changed since the one before cannot be restored: ${job.last_error}`,
        since: job.finished_at ?? job.run_at,
        action: { label: "See the backups", path: "settings/status" },
      },
    ];
  },
};

/** What the inbox of a project is made of. */
export const INBOX: readonly Contributor[] = [
  changeRequests,
  ramps,
  featureFlags,
  environments,
  scheduledChanges,
  experiments,
  surveys,
  sdkInstances,
  sdkRelays,
  deliveries,
  backups,
];
