import { Radio, SearchX } from "lucide-react";
import type { Metadata, Route } from "next";
import { HealthTabs } from "#components/frame/health-tabs.tsx";
import { Locked } from "#components/frame/locked.tsx";
import { one, type SearchParams, whole, withQuery } from "#components/kit/list/search-params.ts";
import { InstanceTable } from "#components/sdk_instances/instance-table.tsx";
import { STATE_WORDS } from "#components/sdk_instances/receipt-words.ts";
import { RelayTable } from "#components/sdk_instances/relay-table.tsx";
import { EvaluatingSdks, RemoteCallers } from "#components/sdk_instances/sdk-tables.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { TabLinks } from "#components/ui/display/tab-links.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { permitted } from "#lib/app/session/permitted.ts";
import { requireWho } from "#lib/app/session/who.ts";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import { sdkInstanceContract } from "#lib/flags/sdk_instances/contract.ts";
import { type SdkRelay, STATES } from "#lib/flags/sdk_instances/schema.ts";
import { flagById } from "../../feature_flags/reads.ts";

export const metadata: Metadata = { title: "SDK instances" };

type Props = { params: Promise<{ project_id: string }>; searchParams: Promise<SearchParams> };

const LIMIT = 50;

/** What of the address is understood; anything else is left out. */
function readQuery(given: SearchParams) {
  const digits = (text: string) => (/^\d{1,9}$/.test(text) ? text : undefined);
  const states = one(given.state).split(",");
  const text = (value: SearchParams[string]) => (value === undefined ? undefined : one(value).slice(0, 400));
  return {
    flag: digits(one(given.flag)),
    flag_version: digits(one(given.flag_version)),
    state: STATES.filter((state) => states.includes(state)).join(",") || undefined,
    sdk: text(given.sdk),
    sdk_version: text(given.sdk_version),
    relay: text(given.relay),
  };
}

/** What the list was narrowed to, beside the state. */
function inWords(
  { sdk, sdk_version, relay, flag_version }: ReturnType<typeof readQuery>,
  flag: Pick<FlagRecord, "key"> | null,
  relays: readonly SdkRelay[],
): string {
  const relayName = relays.find(({ id }) => id === relay)?.name ?? relay;
  return [
    sdk === undefined ? null : `${sdk || "not reported"} ${sdk_version ?? ""}`.trim(),
    flag?.key,
    relay === undefined ? null : `through relay ${relayName}`,
    flag_version === undefined ? null : `version ${flag_version}`,
  ]
    .filter(Boolean)
    .join(" · ");
}

export default async function SdkInstancesPage({ params, searchParams }: Props) {
  const { project_id } = await params;
  const given = await searchParams;
  const query = readQuery(given);
  const offset = whole(given.offset, 0);
  const { api } = await requireWho();
  const [flag, relays, summary] = await Promise.all([
    query.flag ? flagById(api, project_id, query.flag).catch(() => null) : null,
    permitted(api.call(sdkInstanceContract.relays, { params: { project_id } })),
    permitted(api.call(sdkInstanceContract.summary, { params: { project_id } })),
  ]);
  const chosen = { ...query, flag: flag ? query.flag : undefined };
  const page = await permitted(
    api.call(sdkInstanceContract.list, {
      params: { project_id },
      query: { ...chosen, limit: String(LIMIT), offset: String(offset) },
    }),
  );
  if (!page || !summary) return <Locked what="SDK instances" scope="feature_flag:read" />;
  const known = relays?.results ?? [];
  const here = `/project/${project_id}/settings/sdk_instances`;
  const at = (more: Record<string, string | undefined>) => withQuery(here, { ...chosen, ...more }) as Route;
  const states = chosen.state?.split(",") ?? [];
  const what = inWords(chosen, flag, known);
  const isFiltered = Object.values(chosen).some((value) => value !== undefined);
  return (
    <Page>
      <PageHeader
        title="Health & data"
        description="SDKs that evaluate flags themselves, and which definitions each running instance has."
        tabs={<HealthTabs projectId={project_id} current="sdk_instances" />}
      />
      <div className="flex flex-col gap-5">
        <Card
          title="Instances"
          padded={false}
          description={
            flag
              ? `What they have of ${flag.key}, version ${flag.version}.`
              : "Servers that asked for definitions within 24 hours."
          }
          actions={
            isFiltered ? (
              <ButtonLink href={here as Route} size="sm" variant="ghost">
                Show all
              </ButtonLink>
            ) : null
          }
        >
          <div className="px-4">
            {what ? <p className="pb-2 text-muted text-sm">{what}</p> : null}
            <TabLinks
              label="States"
              tabs={[
                { label: "All", href: at({ state: undefined }), current: states.length === 0 },
                ...STATES.map((state) => ({
                  label: STATE_WORDS[state].label,
                  href: at({ state }),
                  current: states.includes(state),
                })),
              ]}
            />
          </div>
          {page.results.length === 0 ? (
            <EmptyState
              icon={isFiltered ? SearchX : Radio}
              title={isFiltered ? "No instances like this" : "No SDK evaluates flags itself"}
            >
              {isFiltered
                ? "Instances move on as they ask: another state may have them now."
                : "An SDK with a personal API key or the project’s secret key loads definitions and evaluates flags on its own server. Each running one is listed here."}
            </EmptyState>
          ) : (
            <InstanceTable instances={page.results} ofFlag={flag !== null} withRelays={known.length > 0} />
          )}
          {page.count > LIMIT ? (
            <div className="px-4">
              <Pagination
                offset={offset}
                limit={LIMIT}
                count={page.count}
                noun="instances"
                hrefFor={(next) => at({ offset: next > 0 ? String(next) : undefined })}
              />
            </div>
          ) : null}
        </Card>
        {known.length > 0 ? (
          <Card
            title="Relays"
            description="They answer SDKs in place of this server; the figure opens the instances that ask them."
            padded={false}
          >
            <RelayTable
              relays={known}
              hrefFor={({ id }) => `${here}?${new URLSearchParams({ relay: id })}` as Route}
            />
          </Card>
        ) : null}
        {summary.instances.length > 0 ? (
          <Card title="SDKs" description="By version; the figure opens its instances." padded={false}>
            <EvaluatingSdks
              sdks={summary.instances}
              hrefFor={({ sdk, sdk_version }) =>
                `${here}?${new URLSearchParams({ sdk, sdk_version })}` as Route
              }
            />
          </Card>
        ) : null}
        {summary.callers.length > 0 ? (
          <Card
            title="Evaluated by this service"
            description="Browsers and other clients of /flags and OpenFeature. They are up to date with every request."
            padded={false}
          >
            <RemoteCallers callers={summary.callers} />
          </Card>
        ) : null}
      </div>
    </Page>
  );
}
