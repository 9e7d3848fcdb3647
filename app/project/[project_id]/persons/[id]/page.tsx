import { Lock } from "lucide-react";
import type { Metadata, Route } from "next";
import { notFound } from "next/navigation";
import { Locked } from "#components/frame/locked.tsx";
import { one, type SearchParams, withQuery } from "#components/kit/list/search-params.ts";
import { PersonButtons } from "#components/persons/person-buttons.tsx";
import { PersonEvents } from "#components/persons/person-events.tsx";
import { PersonFlags } from "#components/persons/person-flags.tsx";
import { PersonProperties } from "#components/persons/person-properties.tsx";
import { Badge } from "#components/ui/display/badge.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { TabLinks } from "#components/ui/display/tab-links.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { accessTo, permitted } from "#lib/app/session/permitted.ts";
import { requireWho } from "#lib/app/session/who.ts";
import { eventContract } from "#lib/people/events/contract.ts";
import { personContract } from "#lib/people/persons/contract.ts";
import type { PersonRecord } from "#lib/people/persons/schema.ts";
import type { Scope } from "#lib/platform/http/contract.ts";
import { allows } from "#lib/platform/http/scopes.ts";
import { cohortNames } from "../../cohorts/reads.ts";
import { timezoneOf } from "../../feature_flags/reads.ts";
import { personActions } from "../person-actions.ts";
import { Experiments } from "./experiments.tsx";
import { SurveyAnswers } from "./survey-answers.tsx";

type Props = {
  params: Promise<{ project_id: string; id: string }>;
  searchParams: Promise<SearchParams>;
};

const EVENTS = "50";
const EVENT_NAME_MAX = 200;
const KINDS = [
  { label: "Everything", event: "" },
  { label: "Served values", event: "$feature_flag_called" },
  { label: "Survey answers", event: "survey sent" },
];
const TABS = [
  { value: "properties", label: "Properties" },
  { value: "flags", label: "Feature flags" },
  { value: "experiments", label: "Experiments" },
  { value: "answers", label: "Survey answers" },
  { value: "events", label: "Timeline" },
];

const personBy = async (params: Awaited<Props["params"]>) =>
  permitted((await getApi()).call(personContract.retrieve, { params }));

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: (await personBy(await params))?.name ?? "Person" };
}

export default async function PersonPage({ params, searchParams }: Props) {
  const { project_id, id } = await params;
  const query = await searchParams;
  const { api, who } = await requireWho();
  if (!allows(who.scopes, "person:read")) return <Locked what="people" scope="person:read" />;
  const person = await personBy({ project_id, id });
  if (!person) notFound();
  const [lastEvent] = (
    await api.call(eventContract.list, { params: { project_id }, query: { person_id: id, limit: "1" } })
  ).results;
  const tab = TABS.find((each) => each.value === one(query.tab))?.value ?? "properties";
  const here = `/project/${project_id}/persons/${id}`;
  return (
    <Page width="wide">
      <PageHeader
        crumbs={[{ label: "People", href: `/project/${project_id}/persons` as Route }]}
        title={person.name}
        mark={person.is_identified ? <Badge tone="accent">Identified</Badge> : <Badge>Anonymous</Badge>}
        description={
          <>
            First seen <RelativeTime date={person.created_at} />
            {lastEvent ? (
              <>
                , last seen <RelativeTime date={lastEvent.timestamp} />
              </>
            ) : null}
          </>
        }
        actions={
          <PersonButtons
            projectId={project_id}
            person={{ uuid: person.uuid, name: person.name }}
            access={await accessTo("person:write", "erase people")}
            actions={personActions}
          />
        }
        tabs={
          <TabLinks
            label="About this person"
            tabs={TABS.map(({ value, label }) => ({
              label,
              href: withQuery(here, { tab: value === "properties" ? undefined : value }) as Route,
              current: value === tab,
            }))}
          />
        }
      />
      {tab === "properties" ? <Properties projectId={project_id} person={person} /> : null}
      {tab === "flags" ? (
        <Flags projectId={project_id} person={person} distinctId={one(query.distinct_id)} />
      ) : null}
      {tab === "experiments" ? (
        allows(who.scopes, "experiment:read") ? (
          <Experiments projectId={project_id} id={person.uuid} />
        ) : (
          <NotReadable what="experiments" scope="experiment:read" />
        )
      ) : null}
      {tab === "answers" ? (
        allows(who.scopes, "survey:read") ? (
          <SurveyAnswers projectId={project_id} id={person.uuid} offset={offsetOf(one(query.offset))} />
        ) : (
          <NotReadable what="surveys" scope="survey:read" />
        )
      ) : null}
      {tab === "events" ? (
        <Events
          projectId={project_id}
          id={id}
          before={one(query.before)}
          event={one(query.event)}
          day={one(query.day)}
        />
      ) : null}
    </Page>
  );
}

async function Properties({ projectId, person }: { projectId: string; person: PersonRecord }) {
  const { api, who } = await requireWho();
  const params = { project_id: projectId, id: person.uuid };
  const mayRead = allows(who.scopes, "cohort:read");
  const found = mayRead ? await api.call(personContract.cohorts, { params }) : null;
  return (
    <PersonProperties
      projectId={projectId}
      properties={person.properties}
      distinctIds={person.distinct_ids}
      id={person.uuid}
      cohorts={found?.results ?? null}
    />
  );
}

type FlagsProps = { projectId: string; person: PersonRecord; distinctId: string };

async function Flags({ projectId, person, distinctId }: FlagsProps) {
  const { api, who } = await requireWho();
  const mayExplain = allows(who.scopes, "feature_flag:read");
  const params = { project_id: projectId, id: person.uuid };
  const mayPin = allows(who.scopes, "feature_flag:write");
  const chosen = person.distinct_ids.includes(distinctId) ? distinctId : undefined;
  const [found, { cohorts }] = await Promise.all([
    api.call(personContract.feature_flags, { params, query: { distinct_id: chosen } }),
    cohortNames(api, projectId),
  ]);
  return (
    <PersonFlags
      projectId={projectId}
      personId={person.uuid}
      distinctId={found.distinct_id}
      distinctIds={person.distinct_ids}
      servedSince={found.served_since}
      flags={found.results}
      mayExplain={mayExplain}
      cohorts={cohorts}
      pinning={
        mayPin
          ? {
              timezone: await timezoneOf(projectId),
              person: { id: person.uuid, name: person.name },
              actions: personActions,
            }
          : null
      }
    />
  );
}

function NotReadable({ what, scope }: { what: string; scope: Scope }) {
  return (
    <EmptyState icon={Lock} title={`Your API key cannot read ${what}`}>
      {`Sign in with a key that has the scope ${scope}.`}
    </EmptyState>
  );
}

const offsetOf = (text: string): number => (/^\d{1,9}$/.test(text) ? Number(text) : 0);

const DAY_MS = 86_400_000;

/** The end of a day, as far as the text is one. */
function endOfDay(day: string): string | undefined {
  const at = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(day) : Number.NaN;
  return Number.isNaN(at) || at < 0 ? undefined : new Date(at + DAY_MS).toISOString();
}

type EventsProps = { projectId: string; id: string; before: string; event: string; day: string };

async function Events({ projectId, id, before, event, day }: EventsProps) {
  const api = await getApi();
  const found = await api.call(eventContract.list, {
    params: { project_id: projectId },
    query: {
      person_id: id,
      limit: EVENTS,
      event: event.slice(0, EVENT_NAME_MAX) || undefined,
      before: before || endOfDay(day),
    },
  });
  const here = `/project/${projectId}/persons/${id}`;
  const cursor = found.next && new URL(found.next).searchParams.get("before");
  const at = (more: Record<string, string | undefined>) =>
    withQuery(here, { tab: "events", event: event || undefined, ...more }) as Route;
  return (
    <PersonEvents
      projectId={projectId}
      events={found.results}
      filter={{ event, day }}
      kinds={KINDS.map((kind) => ({
        label: kind.label,
        href: at({ event: kind.event || undefined, day: day || undefined }),
        current: kind.event === event,
      }))}
      action={here}
      older={cursor ? at({ before: cursor }) : null}
      newest={before || day ? at({}) : null}
      deleted_before={found.deleted_before}
      unreadable={found.unreadable}
    />
  );
}
