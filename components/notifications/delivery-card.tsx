import type { Route } from "next";
import type { DestinationActions } from "#app/project/[project_id]/settings/notifications/destination-actions.ts";
import type { Access } from "#components/kit/access.tsx";
import { Badge } from "#components/ui/display/badge.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { TabLinks } from "#components/ui/display/tab-links.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { Tone } from "#components/ui/tone.ts";
import type { DeliveryRecord } from "#lib/notifications/deliveries/schema.ts";
import type { DestinationRecord } from "#lib/notifications/destinations/schema.ts";
import { plural } from "#lib/platform/format.ts";
import { type DeliveryQuery, deliveryList } from "./delivery-list.ts";
import { ReplayButton } from "./replay-button.tsx";

type Common = { projectId: string; access: Access; actions: DestinationActions };

type Props = Common & {
  query: DeliveryQuery;
  destinations: readonly DestinationRecord[];
  deliveries: readonly DeliveryRecord[];
  count: number;
};

const STATES: Record<DeliveryRecord["state"], { word: string; tone: Tone }> = {
  waiting: { word: "On its way", tone: "info" },
  delivered: { word: "Delivered", tone: "success" },
  dead: { word: "Given up", tone: "danger" },
};

/** What was sent, with what it was answered; what was given up can be sent again. */
export function DeliveryCard({ query, destinations, deliveries, count, ...common }: Props) {
  const { projectId } = common;
  const only = destinations.find(({ id }) => id === query.destination);
  return (
    <section aria-label="Messages" className="flex min-w-0 flex-col gap-3">
      <h2 className="font-semibold text-base">Messages</h2>
      <TabLinks
        label="Which messages"
        tabs={deliveryList.params.state.options.map(({ value, label }) => ({
          label,
          href: deliveryList.href(projectId, query, { state: value }),
          current: query.state === value,
        }))}
      />
      {only ? (
        <p className="text-muted text-sm">
          Only those for {only.name}.{" "}
          <TextLink href={deliveryList.href(projectId, query, { destination: "" }) as Route}>
            Show all destinations
          </TextLink>
        </p>
      ) : null}
      {deliveries.length === 0 ? (
        <p className="py-6 text-center text-muted text-sm">There are none.</p>
      ) : (
        <ul aria-label="Messages" className="divide-y rounded-lg border bg-surface shadow-card">
          {deliveries.map((delivery) => (
            <DeliveryRow key={delivery.id} {...common} delivery={delivery} />
          ))}
        </ul>
      )}
      <Pagination
        offset={query.offset}
        limit={deliveryList.pageSize}
        count={count}
        noun={count === 1 ? "message" : "messages"}
        hrefFor={(offset) => deliveryList.href(projectId, query, { offset })}
      />
    </section>
  );
}

function DeliveryRow({ delivery, ...common }: Common & { delivery: DeliveryRecord }) {
  const { state, payload, destination, created_at, attempts, error, next_attempt_at } = delivery;
  const { word, tone } = STATES[state];
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-2 px-4 py-3 sm:flex-nowrap">
      <div className="min-w-0 flex-1 basis-60">
        <p className="flex flex-wrap items-center gap-1.5 text-sm">
          <Badge tone={tone}>{word}</Badge>
          <span className="min-w-0 break-words font-medium">{payload.data.title}</span>
        </p>
        <p className="mt-0.5 text-faint text-xs">
          To {destination.name}, <RelativeTime date={created_at} />
          {attempts > 0 ? ` · ${plural(attempts, "attempt")}` : ""}
          {next_attempt_at && attempts > 0 ? (
            <>
              {" · next "}
              <RelativeTime date={next_attempt_at} />
            </>
          ) : null}
        </p>
        {error ? <p className="mt-0.5 break-words text-danger-text text-xs">{error}</p> : null}
        {state !== "delivered" && delivery.response_body ? (
          <pre className="mt-1.5 max-h-32 overflow-auto whitespace-pre-wrap break-all rounded-md border bg-sunken px-2 py-1.5 text-xs">
            {delivery.response_body}
          </pre>
        ) : null}
      </div>
      {state === "dead" ? <ReplayButton {...common} delivery={delivery} /> : null}
    </li>
  );
}
