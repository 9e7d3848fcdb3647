import type { Route } from "next";
import type { InboxActions } from "#app/project/[project_id]/inbox/inbox-actions.ts";
import type { Access } from "#components/kit/access.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import { pagePathOf } from "#lib/notifications/messages/pages.ts";
import type { SubscriptionRecord } from "#lib/notifications/subscriptions/schema.ts";
import { NotifySelect } from "./notify-select.tsx";

const KINDS: Record<SubscriptionRecord["resource_type"], string> = {
  feature_flag: "Feature flag",
  experiment: "Experiment",
  survey: "Survey",
};

type Props = {
  projectId: string;
  subscriptions: readonly SubscriptionRecord[];
  access: Access;
  actions: InboxActions;
};

/** What somebody is notified of. */
export function SubscriptionList({ projectId, subscriptions, access, actions }: Props) {
  return (
    <Card padded={false}>
      <ul aria-label="Subscriptions" className="divide-y">
        {subscriptions.map(({ resource_type, resource_id, name, digest }) => (
          <li
            key={`${resource_type}/${resource_id}`}
            className="flex flex-wrap items-center justify-between gap-3 px-4 py-2.5"
          >
            <div className="min-w-0">
              <TextLink
                href={pagePathOf(Number(projectId), { type: resource_type, id: resource_id }) as Route}
              >
                {name ?? resource_id}
              </TextLink>
              <p className="text-faint text-xs">{KINDS[resource_type]}</p>
            </div>
            <NotifySelect
              projectId={projectId}
              resource={{ resource_type, resource_id }}
              current={digest ? "daily" : "at_once"}
              canSend
              access={access}
              actions={actions}
              about={name ?? resource_id}
            />
          </li>
        ))}
      </ul>
    </Card>
  );
}
