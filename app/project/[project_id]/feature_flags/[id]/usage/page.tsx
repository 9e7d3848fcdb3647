import { Lock } from "lucide-react";
import type { Route } from "next";
import { Suspense } from "react";
import { CallerList } from "#components/feature_flags/callers/caller-list.tsx";
import {
  type CallChoice,
  Callers,
  callersInWords,
  choiceInWords,
} from "#components/feature_flags/callers/callers.tsx";
import { CallList } from "#components/feature_flags/detail/call-list.tsx";
import { Snippets } from "#components/feature_flags/detail/snippets.tsx";
import { UsageChart } from "#components/feature_flags/detail/usage-chart.tsx";
import { kindOf } from "#components/feature_flags/list-item.ts";
import { one, type SearchParams, whole, withQuery } from "#components/kit/list/search-params.ts";
import { ButtonLink } from "#components/ui/button.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { TabLinks } from "#components/ui/display/tab-links.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { permitted } from "#lib/app/session/permitted.ts";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import { usageContract } from "#lib/flags/feature_flags/usage/usage-contract.ts";
import { variantsOf } from "#lib/people/conditions/words.ts";
import { eventContract } from "#lib/people/events/contract.ts";
import { callersOf, projectToken, readRemoteBase, usageOf } from "../../reads.ts";
import { FlagFrame, type FlagPageProps, flagTitle, WaitingCard } from "../flag-frame.tsx";

export const generateMetadata = (props: FlagPageProps) => flagTitle(props, "Usage");

type Of = { projectId: string; flag: FlagRecord };

type Props = FlagPageProps & { searchParams: Promise<SearchParams> };

/** Over how many days calls are counted. */
const DAYS = ["7", "30", "90"];
const USUAL_DAYS = "30";

const readDays = ({ days }: SearchParams) => DAYS.find((each) => each === one(days)) ?? USUAL_DAYS;

const pathOf = ({ projectId, flag }: Of) => `/project/${projectId}/feature_flags/${flag.id}/usage`;

export default async function UsagePage({ params, searchParams }: Props) {
  const query = await searchParams;
  return (
    <FlagFrame params={params} current="usage">
      {(content) => (
        <div className="flex flex-col gap-5">
          <TabLinks
            label="Days that are counted"
            tabs={DAYS.map((days) => ({
              label: `${days} days`,
              href: withQuery(pathOf(content), { days: days === USUAL_DAYS ? "" : days }) as Route,
              current: days === readDays(query),
            }))}
          />
          <Suspense fallback={<WaitingCard title="Calls" />}>
            <Calls {...content} query={query} />
          </Suspense>
          {query.people === undefined ? null : (
            <Suspense fallback={<WaitingCard title="People" />}>
              <CalledBy {...content} query={query} />
            </Suspense>
          )}
          <Suspense fallback={<WaitingCard title="People and SDKs" />}>
            <PeopleAndSdks {...content} query={query} />
          </Suspense>
          <Suspense fallback={<WaitingCard title="Latest calls" />}>
            <LatestCalls {...content} query={query} />
          </Suspense>
          <Suspense fallback={<WaitingCard title="In code" />}>
            <InCode {...content} />
          </Suspense>
        </div>
      )}
    </FlagFrame>
  );
}

type Queried = Of & { query: SearchParams };

async function Calls({ projectId, flag, query }: Queried) {
  const usage = await usageOf(await getApi(), projectId, flag.id, readDays(query));
  if (!usage)
    return (
      <EmptyState icon={Lock} title="Your API key cannot read usage">
        Sign in with a key that has the scope feature_flag:read.
      </EmptyState>
    );
  return (
    <Card title="Calls" description="Reported by SDKs, by day in UTC.">
      <UsageChart usage={usage} variants={variantsOf(flag.filters).map((variant) => variant.key)} />
    </Card>
  );
}

/** Address of the list of those who made some of the calls. An empty value is one: of calls without any. */
function callersHref(of: Queried, choice: CallChoice, offset = 0): Route {
  const params = new URLSearchParams({ days: readDays(of.query), people: "" });
  for (const [name, value] of Object.entries(choice)) if (value !== undefined) params.set(name, value);
  if (offset > 0) params.set("offset", String(offset));
  return `${pathOf(of)}?${params}` as Route;
}

async function PeopleAndSdks(of: Queried) {
  const callers = await callersOf(await getApi(), of.projectId, of.flag.id, readDays(of.query));
  if (!callers) return null;
  return (
    <Card
      title="People and SDKs"
      description={
        callers.calls > 0
          ? `${callersInWords(callers)}. A person with several values is in each of them.`
          : "Who called, counted from the events."
      }
      actions={
        <TextLink
          href={`/project/${of.projectId}/settings/sdk_instances?flag=${of.flag.id}` as Route}
          className="text-xs"
        >
          SDK instances
        </TextLink>
      }
    >
      <Callers callers={callers} hrefFor={(choice) => callersHref(of, choice)} />
    </Card>
  );
}

const PEOPLE = 20;

async function CalledBy(of: Queried) {
  const { projectId, flag, query } = of;
  const value = (name: string) => (query[name] === undefined ? undefined : one(query[name]));
  const choice = { response: value("response"), lib: value("lib"), lib_version: value("lib_version") };
  const offset = whole(query.offset, 0);
  const api = await getApi();
  const found = await permitted(
    api.call(usageContract.callers_people, {
      params: { project_id: projectId, id: String(flag.id) },
      query: { ...choice, days: readDays(query), limit: String(PEOPLE), offset: String(offset) },
    }),
  );
  return (
    <Card
      title={choiceInWords(choice)}
      actions={
        <ButtonLink
          href={withQuery(pathOf(of), { days: readDays(query) }) as Route}
          size="sm"
          variant="ghost"
        >
          Close
        </ButtonLink>
      }
    >
      {found ? (
        <>
          <CallerList projectId={projectId} callers={found.results} />
          {found.count > PEOPLE ? (
            <Pagination
              offset={offset}
              limit={PEOPLE}
              count={found.count}
              noun="people"
              hrefFor={(at) => callersHref(of, choice, at)}
            />
          ) : null}
        </>
      ) : (
        <p className="text-muted text-sm">
          Your API key cannot read people. Sign in with a key that has the scope person:read.
        </p>
      )}
    </Card>
  );
}

const CALLS = "20";

async function LatestCalls({ projectId, flag, query }: Queried) {
  const before = one(query.before);
  const api = await getApi();
  const found = await permitted(
    api.call(eventContract.list, {
      params: { project_id: projectId },
      query: { feature_flag: flag.key, limit: CALLS, before: before || undefined },
    }),
  );
  const cursor = found?.next && new URL(found.next).searchParams.get("before");
  const at = (value?: string) =>
    withQuery(pathOf({ projectId, flag }), { days: one(query.days), before: value }) as Route;
  return (
    <Card title="Latest calls" description="Newest first, of any day.">
      {found ? (
        <CallList
          projectId={projectId}
          calls={found.results}
          older={cursor ? at(cursor) : null}
          latest={before ? at() : null}
          deleted_before={found.deleted_before}
          unreadable={found.unreadable}
        />
      ) : (
        <p className="text-muted text-sm">
          Your API key cannot read events. Sign in with a key that has the scope person:read.
        </p>
      )}
    </Card>
  );
}

async function InCode({ projectId, flag }: Of) {
  const [token, apiBase] = await Promise.all([projectToken(await getApi(), projectId), readRemoteBase()]);
  return (
    <Card title="In code" description="With this project’s token and the address of this service.">
      <Snippets token={token} flagKey={flag.key} kind={kindOf(flag)} apiBase={apiBase} />
    </Card>
  );
}
