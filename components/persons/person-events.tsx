import { ChevronRight } from "lucide-react";
import type { Route } from "next";
import type { z } from "zod";
import { DeletedNote, UnreadableNote } from "#components/kit/deleted-note.tsx";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { CodeBlock } from "#components/ui/display/code-block.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { Link } from "#components/ui/link.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { eventPage, eventRecord } from "#lib/people/events/schema.ts";
import { formatClock, formatLongDay, plural } from "#lib/platform/format.ts";

type EventRecord = z.output<typeof eventRecord>;
type Filter = { event: string; day: string };
type Props = {
  projectId: string;
  events: readonly EventRecord[];
  filter: Filter;
  /** Kinds of events that can be chosen without typing a name. */
  kinds: readonly { label: string; href: Route; current: boolean }[];
  /** Address of the person's page. */
  action: string;
  older: Route | null;
  newest: Route | null;
  deleted_before: string | null;
  unreadable: z.output<typeof eventPage>["unreadable"];
};

/** What of an event is worth a glance: the flag that was evaluated, the survey, the page, the screen. */
function gist({ properties }: EventRecord): string {
  const flag = properties.$feature_flag;
  if (typeof flag === "string") return `${flag} → ${String(properties.$feature_flag_response ?? "no value")}`;
  const place = properties.$survey_name ?? properties.$current_url ?? properties.$screen_name;
  return typeof place === "string" ? place : "";
}

/** Runs of at least so many equal events are folded. */
const FOLDED_FROM = 3;

type Run = { first: EventRecord; rest: EventRecord[] };
type Day = { day: string; runs: Run[] };

/** Events by UTC day, and in each those that say the same one after the other; they come newest first. */
function daysOf(events: readonly EventRecord[]): Day[] {
  const days: Day[] = [];
  for (const event of events) {
    const day = event.timestamp.slice(0, 10);
    let current = days.at(-1);
    if (current?.day !== day) {
      current = { day, runs: [] };
      days.push(current);
    }
    const run = current.runs.at(-1);
    if (run && run.first.event === event.event && gist(run.first) === gist(event)) run.rest.push(event);
    else current.runs.push({ first: event, rest: [] });
  }
  return days;
}

/** What a person did and was served, newest first, by day; each event opens to everything sent with it. */
export function PersonEvents(props: Props) {
  const { projectId, events, older, newest, deleted_before, unreadable, filter } = props;
  return (
    <>
      <Filters {...props} />
      <UnreadableNote days={unreadable} />
      {events.length === 0 ? (
        <Nothing isFiltered={newest !== null || filter.event !== ""} deleted_before={deleted_before} />
      ) : (
        daysOf(events).map(({ day, runs }) => (
          <section key={day} aria-labelledby={`day-${day}`} className="mb-4">
            <h2 id={`day-${day}`} className="mb-1.5 font-medium text-muted text-xs">
              {formatLongDay(Date.parse(day))} (UTC)
            </h2>
            <ol className="divide-y overflow-clip rounded-lg border bg-surface shadow-card">
              {runs.map((run) => (
                <RunItems key={run.first.id} run={run} projectId={projectId} />
              ))}
            </ol>
          </section>
        ))
      )}
      {events.length === 0 || older ? null : <DeletedNote before={deleted_before} />}
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

/** Works without scripts: links, and a form that sends its fields in the address. */
function Filters({ kinds, action, filter }: Pick<Props, "kinds" | "action" | "filter">) {
  return (
    <div className="mb-4 flex flex-wrap items-end gap-x-4 gap-y-2">
      <nav aria-label="Kinds of events" className="flex flex-wrap gap-1">
        {kinds.map(({ label, href, current }) => (
          <Link
            key={label}
            href={href}
            aria-current={current ? "true" : undefined}
            className={cn(
              "rounded-md px-2 py-1 font-medium text-sm hover:bg-hover",
              current ? "bg-hover text-ink" : "text-muted",
            )}
          >
            {label}
          </Link>
        ))}
      </nav>
      <form action={action} className="flex min-w-0 flex-wrap items-center gap-2">
        <input type="hidden" name="tab" value="events" />
        <Input
          key={filter.event}
          size="sm"
          name="event"
          aria-label="Name of the event"
          placeholder="Name of the event"
          defaultValue={filter.event}
          maxLength={200}
          className="w-full sm:w-52"
        />
        <Input
          key={`day ${filter.day}`}
          size="sm"
          type="date"
          name="day"
          aria-label="Up to this day (UTC)"
          defaultValue={filter.day}
          className="w-40"
        />
        <Button type="submit" size="sm">
          Show
        </Button>
      </form>
    </div>
  );
}

function Nothing({ isFiltered, deleted_before }: { isFiltered: boolean; deleted_before: string | null }) {
  return (
    <EmptyState title={isFiltered ? "No events match" : "No events yet"}>
      {isFiltered
        ? "There are no such events, or none as old as that."
        : "Events that SDKs send under any of this person’s ids appear here."}
      <DeletedNote before={deleted_before} />
    </EmptyState>
  );
}

function RunItems({ run: { first, rest }, projectId }: { run: Run; projectId: string }) {
  if (rest.length + 1 < FOLDED_FROM)
    return [first, ...rest].map((event) => <EventItem key={event.id} event={event} projectId={projectId} />);
  return (
    <>
      <EventItem event={first} projectId={projectId} />
      <li>
        <details>
          <summary className="focus-inset cursor-pointer px-3 py-1.5 text-muted text-xs hover:bg-hover/60 sm:pl-8">
            {`${rest.length} more of the same`}
          </summary>
          <ol aria-label={`${plural(rest.length, "further event")}`} className="divide-y border-t">
            {rest.map((event) => (
              <EventItem key={event.id} event={event} projectId={projectId} />
            ))}
          </ol>
        </details>
      </li>
    </>
  );
}

/** What an event is about, where that has a page. */
function About({ event: { properties }, projectId }: { event: EventRecord; projectId: string }) {
  const { $feature_flag: flag, $survey_id: survey } = properties;
  const look = "text-xs";
  if (typeof flag === "string" && flag !== "")
    return (
      <TextLink
        className={look}
        href={`/project/${projectId}/feature_flags?search=${encodeURIComponent(flag)}` as Route}
      >
        Open flag
      </TextLink>
    );
  if (typeof survey === "string" && UUID.test(survey))
    return (
      <TextLink className={look} href={`/project/${projectId}/surveys/${survey}` as Route}>
        Open survey
      </TextLink>
    );
  return null;
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

function EventItem({ event, projectId }: { event: EventRecord; projectId: string }) {
  return (
    <li>
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
          <time dateTime={event.timestamp} className="tabular shrink-0 text-faint text-xs">
            {formatClock(Date.parse(event.timestamp))}
          </time>
        </summary>
        <div className="flex flex-col gap-2 px-3 pb-3 sm:pl-8">
          <p className="flex flex-wrap gap-x-3 text-faint text-xs">
            <span className="min-w-0 break-all">
              Sent under <code className="font-mono">{event.distinct_id}</code>, at{" "}
              <span className="tabular">{event.timestamp}</span>
            </span>
            <About event={event} projectId={projectId} />
          </p>
          <CodeBlock label="Properties of the event" code={JSON.stringify(event.properties, null, 2)} />
        </div>
      </details>
    </li>
  );
}
