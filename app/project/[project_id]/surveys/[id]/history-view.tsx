import { Lock } from "lucide-react";
import type { Route } from "next";
import { Log } from "#components/activity/log.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import { requireWho } from "#lib/app/session/who.ts";
import { namesFor } from "../reads.ts";
import { logOf, type ViewProps } from "./reads.ts";

/** Who changed what in the survey, newest first. */
export async function HistoryView({ api, projectId, survey }: ViewProps) {
  const [found, { who }] = await Promise.all([
    logOf(api, { project_id: projectId, id: survey.id }),
    requireWho(),
  ]);
  if (!found)
    return (
      <EmptyState icon={Lock} title="Your API key cannot read the activity log">
        Sign in with a key that has the scope activity_log:read.
      </EmptyState>
    );
  const [latest] = found.results;
  const entries = found.results.map((entry) => ({
    ...entry,
    detail: { ...entry.detail, changes: entry.detail.changes ?? [] },
  }));
  const names = await namesFor(api, projectId, found.results);
  const timeZone = who.projects.find((each) => String(each.id) === projectId)?.timezone ?? "UTC";
  return (
    <>
      <Log
        projectId={projectId}
        entries={entries}
        names={names}
        timeZone={timeZone}
        now={Date.now()}
        actions={(entry) =>
          entry.id === latest?.id ? null : (
            <TextLink
              href={`/project/${projectId}/surveys/${survey.id}/edit?version=${entry.id}` as Route}
              className="w-fit text-xs"
            >
              Open this version in the builder
            </TextLink>
          )
        }
      />
      {found.total_count > found.results.length ? (
        <p className="mt-3 text-muted text-xs">{`The latest ${found.results.length} of ${found.total_count} changes.`}</p>
      ) : null}
    </>
  );
}
