"use client";

import type { Route } from "next";
import type { ReactNode } from "react";
import { useEndpoint } from "#components/kit/use-endpoint.ts";
import { cn } from "#components/ui/cn.ts";
import { Badge } from "#components/ui/display/badge.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { receiptContract } from "#lib/flags/sdk_instances/contract.ts";
import type { Receipt, SdkRelay, State } from "#lib/flags/sdk_instances/schema.ts";
import { formatCount, formatDuration, plural } from "#lib/platform/format.ts";
import { relayInWords, servedInWords, versionInWords } from "./receipt-words.ts";

/** How often a change is followed: at first closely, then from time to time, then not any more. */
const PACE_MS = [
  { until: 60_000, every: 2_000 },
  { until: 15 * 60_000, every: 10_000 },
] as const;

function nextLook({ complete, as_of, changed_at }: Receipt): number | false {
  const age = Date.parse(as_of) - Date.parse(changed_at);
  return complete ? false : (PACE_MS.find(({ until }) => age < until)?.every ?? false);
}

type Props = { projectId: string; receipt: Receipt };

/** How far the latest change of a flag has come; counts on while it is looked at, until it has arrived. */
export function ReceiptCard({ projectId, receipt: given }: Props) {
  const { data } = useEndpoint<typeof receiptContract.receipt>(
    "/api/projects/{project_id}/feature_flags/{id}/receipt/",
    { params: { project_id: projectId, id: String(given.flag_id) } },
    { initialData: given, refetchInterval: ({ state }) => (state.data ? nextLook(state.data) : false) },
  );
  // The page may be older than the change, or the other way round.
  const receipt = data && data.version >= given.version ? data : given;
  const list = `/project/${projectId}/settings/sdk_instances`;
  const open = (states: readonly State[], more = "") =>
    `${list}?flag=${receipt.flag_id}${states.length > 0 ? `&state=${states.join(",")}` : ""}${more}` as Route;
  return (
    <Card
      title="Delivery"
      description={
        <>
          Version {formatCount(receipt.version)}, saved <RelativeTime date={receipt.changed_at} />
        </>
      }
      actions={
        receipt.total === 0 ? null : receipt.complete ? (
          <Badge tone="success">Everywhere</Badge>
        ) : receipt.behind + receipt.undelivered + receipt.unknown > 0 ? (
          <Badge tone="warning">Not everywhere</Badge>
        ) : (
          <Badge tone="info">On its way</Badge>
        )
      }
    >
      {receipt.total === 0 ? (
        <p className="text-muted text-sm">
          No SDK that evaluates flags itself is running. Browsers and other clients of{" "}
          <code className="text-xs">/flags</code> have the change with their next request.{" "}
          <TextLink href={list as Route}>SDK instances</TextLink>
        </p>
      ) : (
        <div className="flex flex-col gap-3 text-sm">
          <p aria-live="polite">
            <TextLink href={open(["confirmed", "sent"])} className="font-medium">
              {servedInWords(receipt)}
            </TextLink>
          </p>
          <Share receipt={receipt} />
          <ul className="flex flex-col gap-1.5 text-muted">
            <Line count={receipt.sent} href={open(["sent"])}>
              {plural(receipt.sent, "instance")} not confirmed yet
            </Line>
            <Line count={receipt.waiting} href={open(["waiting"])}>
              {plural(receipt.waiting, "instance polls", "instances poll")} within{" "}
              {formatDuration(Math.ceil((receipt.due_within_ms ?? 0) / 1_000))}
            </Line>
            {receipt.behind_versions.map(({ flag_version, instances }) => (
              <Line
                key={flag_version}
                count={instances}
                href={open(["behind"], flag_version === null ? "" : `&flag_version=${flag_version}`)}
              >
                {plural(instances, "instance")} still {versionInWords(flag_version)}
              </Line>
            ))}
            <Line count={receipt.undelivered} href={open(["undelivered"])}>
              {plural(receipt.undelivered, "instance")} without the answers sent to{" "}
              {receipt.undelivered === 1 ? "it" : "them"}
            </Line>
            <Line count={receipt.unknown} href={open(["unknown"])}>
              {plural(receipt.unknown, "instance")} in an unknown state
            </Line>
            <Line count={receipt.silent} href={open(["silent"])}>
              {plural(receipt.silent, "instance")} not heard of, probably stopped
            </Line>
          </ul>
          <Relays relays={receipt.relays} hrefFor={(id) => open([], `&relay=${id}`)} />
          <OlderCalls receipt={receipt} />
        </div>
      )}
    </Card>
  );
}

/** A figure that opens its instances; nothing where there are none. */
function Line({ count, href, children }: { count: number; href: Route; children: ReactNode }) {
  if (count === 0) return null;
  return (
    <li>
      <TextLink href={href}>{children}</TextLink>
    </li>
  );
}

/** How many have it, as a bar; the words beside it say the same. */
function Share({ receipt }: { receipt: Receipt }) {
  const { total, confirmed, sent, complete } = receipt;
  const width = (part: number) => ({ width: `${(100 * part) / total}%` });
  return (
    <div aria-hidden="true" className="flex h-1.5 overflow-hidden rounded-full bg-hover">
      <span className={cn("bg-success", complete && "rounded-full")} style={width(confirmed)} />
      <span className="bg-info" style={width(sent)} />
    </div>
  );
}

/** Through which relays instances get the change. */
function Relays({ relays, hrefFor }: { relays: readonly SdkRelay[]; hrefFor: (id: string) => Route }) {
  const used = relays.filter(({ instances }) => instances > 0);
  if (used.length === 0) return null;
  return (
    <ul className="flex flex-col gap-2 border-t pt-3" aria-label="Relays">
      {used.map((relay) => {
        const { label, tone } = relayInWords(relay);
        return (
          <li key={relay.id} className="flex flex-col gap-0.5">
            <span className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
              <span className="min-w-0 break-words">
                Through relay <span className="font-medium">{relay.name}</span>
              </span>
              <Badge tone={tone}>{label}</Badge>
            </span>
            <span className="text-muted text-xs">
              {relay.state === "unreachable" ? (
                <>
                  <TextLink href={hrefFor(relay.id)}>{plural(relay.instances, "instance")}</TextLink>, last
                  report <RelativeTime date={relay.reported_at} />
                </>
              ) : (
                <>
                  <TextLink href={hrefFor(relay.id)}>
                    {formatCount(relay.served)} of {plural(relay.instances, "instance")}
                  </TextLink>{" "}
                  {relay.instances === 1 ? "has" : "have"} it
                </>
              )}
            </span>
            {relay.problem === null ? null : <span className="text-muted text-xs">{relay.problem}</span>}
          </li>
        );
      })}
    </ul>
  );
}

/** What SDKs reported since the change that was not up to date. */
function OlderCalls({ receipt: { older_calls } }: { receipt: Receipt }) {
  if (older_calls.length === 0) return null;
  return (
    <ul className="flex flex-col gap-1.5 border-t pt-3 text-muted text-xs">
      {older_calls.slice(0, 3).map(({ lib, version, calls, last_called_at }) => (
        <li key={`${lib} ${version}`}>
          {plural(calls, "call")} from {lib || "an unnamed SDK"} answered by version {formatCount(version)},
          last <RelativeTime date={last_called_at} />
        </li>
      ))}
    </ul>
  );
}
