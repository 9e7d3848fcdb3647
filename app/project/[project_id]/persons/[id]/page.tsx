import type { Metadata, Route } from "next";
import { notFound } from "next/navigation";
import { Locked } from "#components/frame/locked.tsx";
import { one, type SearchParams, withQuery } from "#components/kit/list/search-params.ts";
import { PersonButtons } from "#components/persons/person-buttons.tsx";
import { PersonEvents } from "#components/persons/person-events.tsx";
import { PersonFlags } from "#components/persons/person-flags.tsx";
import { PersonProperties } from "#components/persons/person-properties.tsx";
import { Badge } from "#components/ui/display/badge.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { TabLinks } from "#components/ui/display/tab-links.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { accessTo, permitted } from "#lib/app/session/permitted.ts";
import { requireWho } from "#lib/app/session/who.ts";
import { eventContract } from "#lib/people/events/contract.ts";
import { personContract } from "#lib/people/persons/contract.ts";
import type { PersonRecord } from "#lib/people/persons/schema.ts";
import { allows } from "#lib/platform/http/scopes.ts";
import { cohortNames } from "../../cohorts/reads.ts";
import { personActions } from "../person-actions.ts";

type Props = {
  params: Promise<{ project_id: string; id: string }>;
  searchParams: Promise<SearchParams>;
};

const EVENTS = "50";
const TABS = [
  { value: "properties", label: "Properties" },
  { value: "flags", label: "Feature flags" },
  { value: "events", label: "Events" },
];

const personBy = async (params: Awaited<Props["params"]>) =>
  permitted((await getApi()).call(personContract.retrieve, { params }));

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: (await personBy(await params))?.name ?? "Person" };
}

export default async function PersonPage({ params, searchParams }: Props) {
  const { project_id, id } = await params;
  const query = await searchParams;
  const { who } = await requireWho();
  if (!allows(who.scopes, "person:read")) return <Locked what="people" scope="person:read" />;
  const person = await personBy({ project_id, id });
  if (!person) notFound();
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
      {tab === "properties" ? (
        <PersonProperties properties={person.properties} distinctIds={person.distinct_ids} id={person.uuid} />
      ) : null}
      {tab === "flags" ? (
        <Flags projectId={project_id} person={person} distinctId={one(query.distinct_id)} />
      ) : null}
      {tab === "events" ? <Events projectId={project_id} id={id} before={one(query.before)} /> : null}
    </Page>
  );
}

type FlagsProps = { projectId: string; person: PersonRecord; distinctId: string };

async function Flags({ projectId, person, distinctId }: FlagsProps) {
  const { api, who } = await requireWho();
  const mayExplain = allows(who.scopes, "feature_flag:read");
  const params = { project_id: projectId, id: person.uuid };
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
    />
  );
}

async function Events({ projectId, id, before }: { projectId: string; id: string; before: string }) {
  const api = await getApi();
  const found = await api.call(eventContract.list, {
    params: { project_id: projectId },
    query: { person_id: id, limit: EVENTS, before: before || undefined },
  });
  const here = `/project/${projectId}/persons/${id}`;
  const cursor = found.next && new URL(found.next).searchParams.get("before");
  const at = (value?: string) => withQuery(here, { tab: "events", before: value }) as Route;
  return (
    <PersonEvents
      events={found.results}
      older={cursor ? at(cursor) : null}
      newest={before ? at() : null}
      deleted_before={found.deleted_before}
      unreadable={found.unreadable}
    />
  );
}
