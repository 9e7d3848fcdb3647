import { Lock } from "lucide-react";
import { Log } from "#components/activity/log.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { permitted } from "#lib/app/session/permitted.ts";
import { requireWho } from "#lib/app/session/who.ts";
import { surveyContract } from "#lib/surveys/surveys/contract.ts";
import { namesFor } from "../reads.ts";
import type { ViewProps } from "./reads.ts";

const LATEST = "100";

/** Who changed what in the survey, newest first. */
export async function HistoryView({ api, projectId, survey }: ViewProps) {
  const [found, { who }] = await Promise.all([
    permitted(
      api.call(surveyContract.activity, {
        params: { project_id: projectId, id: survey.id },
        query: { limit: LATEST },
      }),
    ),
    requireWho(),
  ]);
  if (!found)
    return (
      <EmptyState icon={Lock} title="Your API key cannot read the activity log">
        Sign in with a key that has the scope activity_log:read.
      </EmptyState>
    );
  const entries = found.results.map((entry) => ({
    ...entry,
    detail: { ...entry.detail, changes: entry.detail.changes ?? [] },
  }));
  const names = await namesFor(api, projectId, found.results);
  const timeZone = who.projects.find((each) => String(each.id) === projectId)?.timezone ?? "UTC";
  return (
    <>
      <Log projectId={projectId} entries={entries} names={names} timeZone={timeZone} now={Date.now()} />
      {found.total_count > found.results.length ? (
        <p className="mt-3 text-muted text-xs">{`The latest ${found.results.length} of ${found.total_count} changes.`}</p>
      ) : null}
    </>
  );
}
