import { listInstancesBehind } from "#lib/flags/sdk_instances/service.ts";
import type { Contributor } from "#lib/notifications/inbox/item.ts";
import { plural } from "#lib/platform/format.ts";

/** Instances of SDKs that still evaluate flags as they were before the last change. */
export const sdkInstances: Contributor = {
  scope: "feature_flag:read",
  find: async (context) => {
    const { count, results } = await listInstancesBehind(context, { limit: 1, offset: 0 });
    const [first] = results;
    if (!first) return [];
    return [
      {
        key: "sdk_instances/behind",
        version: String(count),
        urgency: "today",
        title: `${plural(count, "SDK instance")} did not pick up the last change`,
        why: "Whoever they serve still gets flags as they were before.",
        since: new Date(first.due_at),
        action: { label: "See which", path: "settings/sdk_instances?state=behind,undelivered" },
      },
    ];
  },
};
