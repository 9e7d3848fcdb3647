import {
  CalendarX2,
  DatabaseBackup,
  Flag,
  FlaskConical,
  GitPullRequest,
  Layers,
  type LucideIcon,
  MessageSquareText,
  Send,
  TrendingUp,
} from "lucide-react";
import type { Route } from "next";
import type { InboxActions } from "#app/project/[project_id]/inbox/inbox-actions.ts";
import type { Access } from "#components/kit/access.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import type { InboxRecord } from "#lib/notifications/inbox/schema.ts";
import { DismissButton } from "./dismiss-button.tsx";

const ICONS: Readonly<Record<string, LucideIcon>> = {
  change_request: GitPullRequest,
  ramp: TrendingUp,
  scheduled_change: CalendarX2,
  environment: Layers,
  experiment: FlaskConical,
  survey: MessageSquareText,
  destination: Send,
  backup: DatabaseBackup,
};

const GROUPS = [
  { urgency: "now", title: "Now", description: "People or data are affected already." },
  { urgency: "today", title: "Today", description: "Somebody has to decide." },
  { urgency: "soon", title: "Soon", description: "Worth tidying up." },
] as const;

type Common = { projectId: string; access: Access; actions: InboxActions };

/** What needs somebody, by how urgent it is; each item with its one next action. */
export function InboxList({ items, ...common }: Common & { items: readonly InboxRecord[] }) {
  return (
    <div className="flex flex-col gap-5">
      {GROUPS.map(({ urgency, title, description }) => {
        const shown = items.filter((item) => item.urgency === urgency);
        if (shown.length === 0) return null;
        return (
          <Card key={urgency} title={title} description={description} padded={false}>
            <ul aria-label={title} className="divide-y border-t">
              {shown.map((item) => (
                <InboxRow key={item.key} {...common} item={item} />
              ))}
            </ul>
          </Card>
        );
      })}
    </div>
  );
}

function InboxRow({ projectId, access, actions, item }: Common & { item: InboxRecord }) {
  const Icon = ICONS[item.key.split("/")[0] ?? ""] ?? Flag;
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-2 px-4 py-3 sm:flex-nowrap">
      <span className="mt-0.5 grid size-7 shrink-0 place-items-center rounded-md bg-hover text-muted">
        <Icon aria-hidden="true" className="size-4" />
      </span>
      <div className="min-w-0 flex-1 basis-60">
        <p className="break-words font-medium text-sm">{item.title}</p>
        <p className="text-pretty break-words text-muted text-sm">{item.why}</p>
        <p className="mt-0.5 text-faint text-xs">
          Since <RelativeTime date={item.since} />
        </p>
      </div>
      <div className="flex shrink-0 items-center gap-1.5 max-sm:ml-10">
        <ButtonLink
          href={`/project/${projectId}/${item.action.path}` as Route}
          size="sm"
          aria-label={`${item.action.label}: ${item.title}`}
        >
          {item.action.label}
        </ButtonLink>
        <DismissButton projectId={projectId} item={item} access={access} actions={actions} />
      </div>
    </li>
  );
}
