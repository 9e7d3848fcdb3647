import { createHash } from "node:crypto";
import { SETTLED_AFTER_DAYS } from "#lib/flags/environments/contract.ts";
import { linkedTo } from "#lib/flags/environments/linked.ts";
import { type Drifted, environmentBefore, findSettledDrift } from "#lib/flags/environments/settled-drift.ts";
import type { Contributor, InboxItem } from "#lib/notifications/inbox/item.ts";

/** More flags than these are one item. */
const SEPARATE_MAX = 5;
const NAMED = 3;

type Names = { here: string; before: string };

const versionOf = ({ flag, there }: Drifted): string => [flag, there].map(({ version }) => version).join("/");

function textsOf({ flag: { key }, how }: Drifted, { here, before }: Names): { title: string; why: string } {
  switch (how) {
    case "deleted":
      return {
        title: `${key} was deleted in ${before}, but is still on in ${here}`,
        why: `It may have been forgotten here: what ${here} serves can no longer be tried in ${before}.`,
      };
    case "off":
      return {
        title: `${key} is on in ${here}, but off in ${before}`,
        why: `What people get in ${here} is not tested in ${before}.`,
      };
    default:
      return {
        title: `${key} differs between ${before} and ${here}`,
        why: `Neither flag has been changed for ${SETTLED_AFTER_DAYS} days. Promote the change, or make it the same in ${before}.`,
      };
  }
}

function itemOf(drifted: Drifted, names: Names): InboxItem {
  const { flag, since } = drifted;
  return {
    ...textsOf(drifted, names),
    key: `environment/${flag.id}/differs`,
    version: versionOf(drifted),
    urgency: "soon",
    since,
    action: { label: "Compare", path: `feature_flags/${flag.id}/environments` },
    resource: { type: "feature_flag", id: String(flag.id), name: flag.key },
  };
}

function itemOfAll(found: readonly Drifted[], { here, before }: Names): InboxItem {
  const named = found.slice(0, NAMED).map(({ flag }) => flag.key);
  const versions = found.map((each) => `${each.flag.id} ${versionOf(each)}`).sort();
  return {
    key: "environment/differs",
    version: createHash("sha256").update(versions.join()).digest("hex").slice(0, 16),
    urgency: "soon",
    title: `${found.length} flags differ between ${before} and ${here}: ${named.join(", ")} and ${found.length - NAMED} more`,
    why: `None of them has been changed for ${SETTLED_AFTER_DAYS} days. Promote the changes, or make them the same in ${before}.`,
    since: new Date(Math.max(...found.map(({ since }) => since.getTime()))),
    action: { label: "Compare", path: "feature_flags/environments?state=needs_attention" },
  };
}

/** Flags that differ from those of the environment before, and were left so. Which one that is depends on the key. */
export const environments: Contributor = {
  scope: "feature_flag:read",
  find: async ({ runtime, db, project, key, now }) => {
    if (!key) return [];
    const linked = await linkedTo({ runtime, db, project, key });
    const here = linked.find((each) => each.project.id === project.id);
    const before = environmentBefore(linked, project.id);
    if (!here || !before) return [];
    const found = await findSettledDrift({ runtime, project }, before, now);
    const names = { here: here.name, before: before.name };
    return found.length > SEPARATE_MAX
      ? [itemOfAll(found, names)]
      : found.map((drifted) => itemOf(drifted, names));
  },
};
