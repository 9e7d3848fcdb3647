import { notFound } from "next/navigation";
import type { ReactNode } from "react";
import { FlagHeader, type FlagView } from "#components/feature_flags/detail/flag-header.tsx";
import { RestoreNote } from "#components/feature_flags/detail/restore-note.tsx";
import { UnreadableTargeting } from "#components/feature_flags/detail/unreadable-targeting.tsx";
import { staleReason } from "#components/feature_flags/list-item.ts";
import { type Access, ReadOnlyNote } from "#components/kit/access.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { Page } from "#components/ui/display/page-header.tsx";
import { Skeleton } from "#components/ui/display/skeleton.tsx";
import { getApi } from "#lib/app/session/api.ts";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import { flagActions } from "../flag-actions.ts";
import { accessOf, flagById, hasEnvironments, readFormNames, timezoneOf } from "../reads.ts";

export type FlagPageProps = { params: Promise<{ project_id: string; id: string }> };

/** What every page of a flag has read. */
export type FlagPageContent = {
  projectId: string;
  flag: FlagRecord;
  names: Required<Names>;
  access: Access;
  /** The project's time zone. */
  timezone: string;
};

type Props = FlagPageProps & {
  current: FlagView;
  children: (content: FlagPageContent) => ReactNode;
};

/** The title of a flag's page in the browser. */
export async function flagTitle({ params }: FlagPageProps, view?: string) {
  const { project_id, id } = await params;
  const flag = await flagById(await getApi(), project_id, id);
  return { title: [view, flag?.key ?? "Feature flag"].filter(Boolean).join(" · ") };
}

/** The header of a flag's pages and what there is to know on each of them, around one of them. */
export async function FlagFrame({ params, current, children }: Props) {
  const { project_id, id } = await params;
  const api = await getApi();
  const flag = await flagById(api, project_id, id);
  if (!flag) notFound();
  const [access, isLinked, names, timezone] = await Promise.all([
    accessOf(),
    hasEnvironments(api, project_id),
    readFormNames(api, project_id, flag),
    timezoneOf(project_id),
  ]);
  const shared = { projectId: project_id, access, actions: flagActions };
  return (
    <Page>
      <FlagHeader
        {...shared}
        flag={flag}
        current={current}
        hasEnvironments={isLinked || current === "environments"}
        names={names}
        stale={staleReason(flag, Date.now())}
        timezone={timezone}
      />
      <ReadOnlyNote access={access} />
      <UnreadableTargeting flag={flag} />
      {flag.deleted ? <RestoreNote {...shared} id={flag.id} flagKey={flag.key} /> : null}
      {children({ projectId: project_id, flag, names, access, timezone })}
    </Page>
  );
}

/** A card that is on its way. */
export function WaitingCard({ title }: { title: string }) {
  return (
    <Card title={title}>
      <div role="status" aria-label={`Reading: ${title}`} className="flex flex-col gap-2">
        <Skeleton className="h-3 w-4/5" />
        <Skeleton className="h-3 w-3/5" />
      </div>
    </Card>
  );
}
