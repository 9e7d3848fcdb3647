import type { Metadata, Route } from "next";
import { notFound } from "next/navigation";
import {
  type RecordChange,
  RequestChanges,
  type RequestPart,
} from "#components/change_requests/request-changes.tsx";
import { RequestFindings } from "#components/change_requests/request-findings.tsx";
import { RequestImpact } from "#components/change_requests/request-impact.tsx";
import { RequestOutcome } from "#components/change_requests/request-outcome.tsx";
import { entriesByPart } from "#components/change_requests/request-parts.ts";
import { RequestReview } from "#components/change_requests/request-review.tsx";
import { askerOf, isOpen, stateOf } from "#components/change_requests/request-words.ts";
import { Badge } from "#components/ui/display/badge.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import type { ActivityEntry } from "#lib/activity/schema.ts";
import { entryDifferences, referencesIn } from "#lib/app/activity/differences.ts";
import { namesIn } from "#lib/app/activity/names.ts";
import { kindNoun, verbOf } from "#lib/app/activity/words.ts";
import { accessToAll, permitted } from "#lib/app/session/permitted.ts";
import { requireWho } from "#lib/app/session/who.ts";
import { changeRequestContract } from "#lib/approvals/change_requests/contract.ts";
import type { ChangeRequest } from "#lib/approvals/change_requests/schema.ts";
import { SURVEY_FLAG_PREFIX } from "#lib/flags/feature_flags/schema.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import type { Scope } from "#lib/platform/http/contract.ts";
import { timezoneOf } from "../../feature_flags/reads.ts";
import { requestActions } from "../request-actions.ts";
import { readFindings } from "./reads.ts";

export const metadata: Metadata = { title: "Change request" };

type Props = { params: Promise<{ project_id: string; id: string }> };

export default async function ChangeRequestPage({ params }: Props) {
  const { project_id, id } = await params;
  const { api } = await requireWho();
  const request = await permitted(api.call(changeRequestContract.retrieve, { params: { project_id, id } }));
  if (!request) notFound();
  const entries = entriesOf(request);
  const [names, findings, timezone, access] = await Promise.all([
    namesIn(api, project_id, referencesIn(entries)),
    isOpen(request) ? readFindings(api, project_id, request) : [],
    timezoneOf(project_id),
    accessToAll(request.needed_scopes as Scope[], "decide on this change request"),
  ]);
  const { word, tone } = stateOf(request);
  return (
    <Page width="wide">
      <PageHeader
        crumbs={[{ label: "Change requests", href: `/project/${project_id}/change_requests` as Route }]}
        title={request.title}
        mark={<Badge tone={tone}>{word}</Badge>}
        description={
          <>
            Requested by {askerOf(request)} <RelativeTime date={request.created_at} />
            {request.state === "pending" ? (
              <>
                , lapses <RelativeTime date={request.expires_at} />
              </>
            ) : null}
          </>
        }
      />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="flex min-w-0 flex-col gap-5">
          <RequestOutcome request={request} />
          {request.description ? (
            <p className="whitespace-pre-wrap break-words text-sm">{request.description}</p>
          ) : null}
          <RequestChanges
            projectId={project_id}
            request={request}
            parts={partsOf(request, changesOf(project_id, entries, names))}
            actions={requestActions}
          />
          <RequestImpact projectId={project_id} request={request} />
          {isOpen(request) ? <RequestFindings flags={findings} /> : null}
        </div>
        <RequestReview
          projectId={project_id}
          request={request}
          timezone={timezone}
          access={access}
          actions={requestActions}
        />
      </div>
    </Page>
  );
}

/** The entries that it would write into the log, but for those of the flags that surveys keep for themselves. */
const entriesOf = ({ intent_display, created_by, created_at }: ChangeRequest): ActivityEntry[] =>
  intent_display.entries
    .map(
      (entry, place): ActivityEntry => ({
        id: String(place),
        user: { first_name: created_by?.first_name ?? "", email: created_by?.email ?? null },
        activity: entry.activity,
        scope: entry.scope,
        item_id: entry.item_id,
        detail: entry.detail as ActivityEntry["detail"],
        created_at,
      }),
    )
    .filter(({ detail }) => !detail.name?.startsWith(SURVEY_FLAG_PREFIX));

/** The pages of records by the scope of their log entries. */
const PAGES: Readonly<Record<string, string>> = {
  FeatureFlag: "feature_flags",
  Cohort: "cohorts",
  Experiment: "experiments",
  Survey: "surveys",
};

/** What each call does; entries are known by their place in the log that was shown. */
const partsOf = (request: ChangeRequest, changes: readonly RecordChange[]): RequestPart[] =>
  entriesByPart(request).map((entries, place) => ({
    place,
    changes: entries.flatMap((entry) => changes.find(({ id }) => id === String(entry)) ?? []),
  }));

const changesOf = (projectId: string, entries: readonly ActivityEntry[], names: Names): RecordChange[] =>
  entries.map((entry) => ({
    id: entry.id,
    // What is created has no page before it is there.
    href:
      entry.activity === "created" || !PAGES[entry.scope]
        ? null
        : `/project/${projectId}/${PAGES[entry.scope]}/${entry.item_id}`,
    kind: kindNoun(entry.scope).replace(/^the /, ""),
    name: entry.detail.name ?? entry.item_id ?? "",
    verb: verbOf(entry.activity, entry.scope),
    differences: entryDifferences(entry, names),
  }));
