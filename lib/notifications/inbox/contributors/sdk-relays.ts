import { listRelaysInTrouble } from "#lib/flags/sdk_instances/service.ts";
import type { Contributor } from "#lib/notifications/inbox/item.ts";
import { formatCount, plural } from "#lib/platform/format.ts";

/** Relays that serve flags as they were before, or that nobody has heard of. */
export const sdkRelays: Contributor = {
  scope: "feature_flag:read",
  find: async (context) => {
    const found = await listRelaysInTrouble(context);
    return found.slice(0, context.limit).map(({ relay, since }) => {
      const { id, name, state, behind_by, problem, instances } = relay;
      const lacks = behind_by === null ? "" : ` by ${plural(behind_by, "version")}`;
      const serves = instances === 0 ? "No SDK asks it now." : null;
      return {
        key: `sdk_relays/${id}`,
        version: `${state} ${problem ?? ""}`.trim().slice(0, 100),
        urgency: "today" as const,
        title: state === "behind" ? `Relay ${name} is behind${lacks}` : `Relay ${name} does not report`,
        why:
          (state === "behind" ? problem : null) ??
          serves ??
          (state === "behind"
            ? `${plural(instances, "SDK instance gets", "SDK instances get")} flags from it as they were before.`
            : `Nobody can tell which flags its ${formatCount(instances)} ${instances === 1 ? "SDK instance has" : "SDK instances have"}.`),
        since,
        action: { label: "See its instances", path: `settings/sdk_instances?relay=${id}` },
      };
    });
  },
};
