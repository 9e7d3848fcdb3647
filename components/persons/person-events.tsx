import { ChevronRight } from "lucide-react";
import type { Route } from "next";
import type { z } from "zod";
import { DeletedNote, UnreadableNote } from "#components/kit/deleted-note.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { CodeBlock } from "#components/ui/display/code-block.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import type { eventPage, eventRecord } from "#lib/people/events/schema.ts";

type EventRecord = z.output<typeof eventRecord>;
type Props = {
  events: readonly EventRecord[];
  older: Route | null;
  newest: Route | null;
  deleted_before: string | null;
  unreadable: z.output<typeof eventPage>["unreadable"];
};

/** What of an event is worth a glance: the flag that was evaluated, the page, the screen. */
function gist({ properties }: EventRecord): string {
  const flag = properties.$feature_flag;
  if (typeof flag === "string") return `${flag} → ${String(properties.$feature_flag_response ?? "no value")}`;
  const place = properties.$current_url ?? properties.$screen_name;
  return typeof place === "string" ? place : "";
}

/** What a person did, newest first; each opens to everything that was sent with it. */
export function PersonEvents({ events, older, newest, deleted_before, unreadable }: Props) {
  if (events.length === 0)
    return (
      <EmptyState title={newest ? "There are no older events" : "No events yet"}>
        {newest
          ? "You have reached the end of the list."
          : "Events that SDKs send under any of this person’s ids appear here."}
        <UnreadableNote days={unreadable} />
        <DeletedNote before={deleted_before} />
      </EmptyState>
    );
  return (
    <>
      <UnreadableNote days={unreadable} />
      <ol className="divide-y overflow-clip rounded-lg border bg-surface shadow-card">
        {events.map((event) => (
          <li key={event.id}>
            <details className="group/event">
              <summary className="focus-inset flex items-center gap-2 px-3 py-2 text-sm hover:bg-hover/60 [&::-webkit-details-marker]:hidden">
                <ChevronRight
                  aria-hidden="true"
                  className="size-3.5 shrink-0 text-faint transition-transform group-open/event:rotate-90"
                />
                <span className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-3">
                  <span className="break-all font-medium">{event.event}</span>
                  <span className="min-w-0 truncate text-muted text-xs">{gist(event)}</span>
                </span>
                <RelativeTime date={event.timestamp} className="shrink-0 text-faint text-xs" />
              </summary>
              <div className="flex flex-col gap-2 px-3 pb-3 sm:pl-8">
                <p className="text-faint text-xs">
                  Sent under <code className="font-mono">{event.distinct_id}</code>, at{" "}
                  <span className="tabular">{event.timestamp}</span>
                </p>
                <CodeBlock label="Properties of the event" code={JSON.stringify(event.properties, null, 2)} />
              </div>
            </details>
          </li>
        ))}
      </ol>
      {older ? null : <DeletedNote before={deleted_before} />}
      <nav aria-label="Pages" className="flex justify-end gap-1.5 py-3">
        {newest ? (
          <ButtonLink href={newest} size="sm">
            Newest
          </ButtonLink>
        ) : null}
        {older ? (
          <ButtonLink href={older} size="sm" rel="next">
            Older
          </ButtonLink>
        ) : null}
      </nav>
    </>
  );
}
