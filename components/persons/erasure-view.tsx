"use client";

import { Download } from "lucide-react";
import type { Route } from "next";
import { useEndpoint } from "#components/kit/use-endpoint.ts";
import { Button } from "#components/ui/button.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { Copyable } from "#components/ui/display/copyable.tsx";
import { Progress } from "#components/ui/display/progress.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { saveFile } from "#components/ui/save-file.ts";
import { TextLink } from "#components/ui/text-link.tsx";
import type { erasureContract } from "#lib/people/erasures/contract.ts";
import type { ErasureRecord } from "#lib/people/erasures/schema.ts";
import { formatFullDay, plural } from "#lib/platform/format.ts";
import { StoredRows } from "./stored-rows.tsx";

const POLL_MS = 1_000;

/** What could not be computed again without the person, and why. */
function UnchangedFigures({ projectId, erasure }: { projectId: string; erasure: ErasureRecord }) {
  const { events_deleted_before: before, unchanged_experiments: experiments } = erasure;
  return (
    <Card
      title="What could not be recomputed"
      description={`${before === null ? "Some events" : `Events before ${formatFullDay(Date.parse(before))}`} had been deleted because of their age. What was counted from them stays as it is and may include this person: counts of events, calls of flags, and experiments that have ended.`}
    >
      {experiments.length > 0 ? (
        <ul
          aria-label="Experiments that include this person"
          className="divide-y rounded-md border bg-sunken text-sm"
        >
          {experiments.map(({ experiment_id, recorded_days }) => (
            <li
              key={experiment_id}
              className="flex flex-wrap items-baseline justify-between gap-x-4 px-3 py-1.5"
            >
              <TextLink href={`/project/${projectId}/experiments/${experiment_id}` as Route}>
                Experiment {experiment_id}
              </TextLink>
              <span className="text-muted">
                {recorded_days === null
                  ? "What they did for their group"
                  : `${plural(recorded_days, "day")} of its history`}
              </span>
            </li>
          ))}
        </ul>
      ) : null}
    </Card>
  );
}

/** An erasure: how far it is, what went, and the certificate. */
export function ErasureView({ projectId, erasure: first }: { projectId: string; erasure: ErasureRecord }) {
  const { data: erasure = first } = useEndpoint<typeof erasureContract.retrieve>(
    "/api/projects/{project_id}/erasures/{id}/",
    { params: { project_id: projectId, id: first.id } },
    {
      initialData: first,
      refetchInterval: (query) => (query.state.data?.state === "running" ? POLL_MS : false),
    },
  );
  const { certificate } = erasure;
  const isWhole = erasure.events_deleted_before === null && erasure.unchanged_experiments.length === 0;
  return (
    <div className="flex max-w-3xl flex-col gap-5">
      {certificate ? (
        <Callout
          tone="success"
          title={
            isWhole
              ? "Everything about this person is erased"
              : "This person is erased, apart from some figures"
          }
          live
        >
          Backups taken before still contain them until you delete those. Restoring one erases the person
          again.
        </Callout>
      ) : (
        <Callout tone="info" title="The person is gone; their events are being deleted" live>
          <Progress value={null} label="Deleting events" className="mt-2" />
        </Callout>
      )}
      <Card title={certificate ? "Deleted" : "Deleted so far"}>
        <StoredRows rows={erasure.removed} label="What was deleted" />
      </Card>
      {isWhole ? null : <UnchangedFigures projectId={projectId} erasure={erasure} />}
      <Card
        title="Certificate"
        description="States what was erased, when, and by which user, without personal data. Anyone can check its signature with the public key in it."
        actions={
          certificate ? (
            <Button
              icon={Download}
              onClick={() =>
                saveFile(
                  `erasure-${erasure.id}.json`,
                  new Blob([`${JSON.stringify(certificate, null, 2)}\n`], { type: "application/json" }),
                )
              }
            >
              Download certificate
            </Button>
          ) : null
        }
      >
        <dl className="grid gap-x-6 gap-y-2 text-sm sm:grid-cols-[10rem_minmax(0,1fr)]">
          <dt className="text-muted">UUID of the person</dt>
          <dd className="min-w-0">
            <Copyable text={erasure.person_uuid} label="UUID" />
          </dd>
          <dt className="text-muted">Requested</dt>
          <dd>
            <RelativeTime date={erasure.requested_at} />
          </dd>
          <dt className="text-muted">Finished</dt>
          <dd>{erasure.finished_at ? <RelativeTime date={erasure.finished_at} /> : "Not yet"}</dd>
        </dl>
      </Card>
    </div>
  );
}
