import { randomUUID } from "node:crypto";
import { entryOf } from "#lib/activity/service.ts";
import type { OutboxEntry } from "#lib/activity/store.ts";
import { isObject } from "#lib/engines/json.ts";
import type { Work } from "#lib/notifications/context.ts";
import type { InboxItem } from "#lib/notifications/inbox/item.ts";
import { pagePathOf } from "#lib/notifications/messages/pages.ts";
import type { Payload } from "#lib/notifications/messages/payload-schema.ts";
import type { NotificationType } from "#lib/notifications/messages/types-schema.ts";
import type { ProjectRow } from "#lib/platform/http/directory.ts";
import { instant } from "#lib/platform/http/instant.ts";

type Entry = NonNullable<OutboxEntry["entry"]>;

/** What is sent, and what it concerns: destinations can be limited to some resources, and people subscribe to them. */
export type Message = {
  id: string;
  project_id: number;
  type: NotificationType;
  /** As `feature_flag/3`. */
  concerns: string[];
  payload: Payload;
  created_at: Date;
};

const RESOURCES: Readonly<Record<string, Payload["data"]["resource"]["type"]>> = {
  FeatureFlag: "feature_flag",
  Experiment: "experiment",
  Survey: "survey",
  Cohort: "cohort",
  ChangeRequest: "change_request",
  ApprovalPolicy: "approval_policy",
};

const RAMP_TYPES: Readonly<Record<string, NotificationType>> = {
  pause: "ramp.paused",
  roll_back: "ramp.rolled_back",
};

const REQUEST_TYPES: Readonly<Record<string, NotificationType>> = {
  created: "change_request.created",
  bypassed: "change_request.bypassed",
  approved: "change_request.decided",
  rejected: "change_request.decided",
  changes_requested: "change_request.decided",
  applied: "change_request.decided",
  cancelled: "change_request.decided",
  lapsed: "change_request.decided",
};

type Trigger = { job_type?: unknown; payload?: unknown };

const triggerOf = ({ detail }: Entry): Trigger | null => {
  const trigger = isObject(detail) ? detail.trigger : null;
  return isObject(trigger) ? trigger : null;
};

/** The words that a ramp or a rollback condition left about why it changed the flag. */
function reasonOf(entry: Entry): string | null {
  const payload = triggerOf(entry)?.payload;
  return isObject(payload) && typeof payload.detail === "string" ? payload.detail : null;
}

/** The type of what an entry of the log says; null where nobody is notified of it. */
export function typeOf(entry: Entry): NotificationType | null {
  switch (entry.scope) {
    case "FeatureFlag": {
      const trigger = triggerOf(entry);
      if (trigger?.job_type === "rollback_conditions") return "feature_flag.rolled_back";
      if (trigger?.job_type !== "ramp") return "feature_flag.changed";
      const action = isObject(trigger.payload) ? String(trigger.payload.action) : "";
      return RAMP_TYPES[action] ?? "ramp.advanced";
    }
    case "Experiment":
      return "experiment.changed";
    case "Survey":
      return "survey.changed";
    case "Cohort":
      return "cohort.changed";
    case "ApprovalPolicy":
      return "approval_policy.changed";
    case "ChangeRequest":
      return REQUEST_TYPES[entry.activity] ?? null;
    default:
      return null;
  }
}

/** The message about an entry of the activity log. */
export async function messageOfEntry(
  { runtime }: Pick<Work, "runtime">,
  project: ProjectRow,
  entry: Entry,
  { type, concerns }: { type: NotificationType; concerns: readonly string[] },
): Promise<Message> {
  const { users } = await runtime.directory.current();
  const user = users.get(entry.user_id ?? 0);
  const actor = user && {
    id: user.id,
    name: `${user.first_name} ${user.last_name}`.trim() || user.email,
    email: user.email,
  };
  const logged = entryOf({ entry, first_name: user?.first_name ?? null, email: user?.email ?? null });
  const { did, changes } = await runtime.notifications.wordEntry(project.id, logged);
  const name = logged.detail.name ?? entry.item_id;
  const resource = { type: RESOURCES[entry.scope] ?? ("project" as const), id: entry.item_id, name };
  return {
    id: randomUUID(),
    project_id: project.id,
    type,
    concerns: [`${resource.type}/${resource.id}`, ...concerns],
    created_at: entry.created_at,
    payload: {
      type,
      timestamp: instant(entry.created_at),
      data: {
        title: `${actor?.name ?? "Switchyard"} ${did} ${name}`,
        detail: reasonOf(entry),
        project: { id: project.id, name: project.name },
        actor: actor ?? null,
        resource,
        action: entry.activity,
        changes,
        link: `${runtime.notifications.public_url}${pagePathOf(project.id, resource)}`,
      },
    },
  };
}

/** The message about something that needs attention. */
export function messageOfItem(
  { runtime }: Pick<Work, "runtime">,
  project: ProjectRow,
  item: InboxItem & { type: NotificationType },
  now: Date,
): Message {
  const { resource, action } = item;
  return {
    id: randomUUID(),
    project_id: project.id,
    type: item.type,
    concerns: resource ? [`${resource.type}/${resource.id}`] : [],
    created_at: now,
    payload: {
      type: item.type,
      timestamp: instant(item.since),
      data: {
        title: item.title,
        detail: item.why,
        project: { id: project.id, name: project.name },
        actor: null,
        resource: resource ?? { type: "project", id: String(project.id), name: project.name },
        action: item.type.split(".")[1] ?? item.type,
        changes: [],
        link: `${runtime.notifications.public_url}/project/${project.id}/${action.path}`,
      },
    },
  };
}
