"use client";

import { useState } from "react";
import type { retryJobs } from "#app/project/[project_id]/settings/status/actions.ts";
import { type Access, Permit, refused } from "#components/kit/access.tsx";
import { attempt } from "#components/kit/action.ts";
import { Button } from "#components/ui/button.tsx";
import { Badge } from "#components/ui/display/badge.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { Table, TableBody, TableHead, TableMessage, Td, Th, Tr } from "#components/ui/display/table.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { Tone } from "#components/ui/tone.ts";
import { jobText } from "#lib/app/instance_status/job-words.ts";
import type { InstanceStatus } from "#lib/app/instance_status/schema.ts";
import { formatCount, formatDuration, plural } from "#lib/platform/format.ts";

type Kind = InstanceStatus["jobs"]["kinds"][number];
type Props = { kinds: readonly Kind[]; access: Access; retry: typeof retryJobs };

/** A job that is later than this is worth a word; looking for it takes a while. */
const LATE_SECONDS = 60;

/** Background work by kind, with what went wrong. */
export function JobsCard({ kinds, access, retry }: Props) {
  return (
    <Card
      id="jobs"
      title="Background work"
      description="Each job runs in one process. One that fails is tried again, after longer and longer pauses."
      padded={false}
    >
      <Table caption="Background work" framed={false} minWidth="" className="border-t">
        <TableHead>
          <Th>Work</Th>
          <Th>State</Th>
          <Th>Last run</Th>
          <Th>Next run</Th>
          <Th>
            <span className="sr-only">Retry</span>
          </Th>
        </TableHead>
        <TableBody>
          {kinds.length === 0 ? (
            <TableMessage columns={5}>No job has been requested yet.</TableMessage>
          ) : null}
          {kinds.map((kind) => (
            <Row key={kind.name} kind={kind} access={access} retry={retry} />
          ))}
        </TableBody>
      </Table>
    </Card>
  );
}

function Row({ kind, access, retry }: { kind: Kind } & Omit<Props, "kinds">) {
  const [busy, setBusy] = useState(false);
  const troubled = kind.failed + kind.retrying;
  async function press() {
    if (!access.may_write) return;
    setBusy(true);
    const result = await attempt(() => retry(kind.name));
    setBusy(false);
    if (result.ok) toast.success(`${plural(result.data.retried, "job")} will run now`);
    else toast.error(result.error.detail);
  }
  return (
    <Tr>
      <Td place="title">
        <span className="flex flex-col gap-0.5">
          <span className="font-medium">{jobText(kind.name)}</span>
          {kind.last_error ? (
            <span className="max-w-prose break-words text-danger-text text-xs">{kind.last_error}</span>
          ) : null}
        </span>
      </Td>
      <Td label="State">
        <State kind={kind} />
      </Td>
      <Td label="Last run" className="whitespace-nowrap text-muted">
        {kind.last_finished_at ? <RelativeTime date={kind.last_finished_at} /> : "–"}
      </Td>
      <Td label="Next run" className="whitespace-nowrap text-muted">
        {kind.next_run_at ? <RelativeTime date={kind.next_run_at} /> : "–"}
      </Td>
      <Td align="right">
        {troubled > 0 ? (
          <Permit access={access}>
            <Button
              size="sm"
              loading={busy}
              onClick={press}
              aria-label={`Retry: ${jobText(kind.name)}`}
              {...refused(access)}
            >
              Retry
            </Button>
          </Permit>
        ) : null}
      </Td>
    </Tr>
  );
}

function State({ kind }: { kind: Kind }) {
  const [tone, text] = stateOf(kind);
  return <Badge tone={tone}>{text}</Badge>;
}

function stateOf({ failed, retrying, late_seconds, running, waiting }: Kind): [Tone, string] {
  if (failed > 0) return ["danger", `${formatCount(failed)} failed`];
  if (retrying > 0) return ["danger", "Failed, to be retried"];
  if (late_seconds > LATE_SECONDS) return ["warning", `${formatDuration(late_seconds)} late`];
  if (running > 0) return ["info", "Running"];
  return ["neutral", waiting > 0 ? "Scheduled" : "Done"];
}
