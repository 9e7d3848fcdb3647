import { FilterX, Lock } from "lucide-react";
import type { Metadata, Route } from "next";
import { Promotion } from "#components/feature_flags/environments/promotion.tsx";
import { ReadOnlyNote } from "#components/kit/access.tsx";
import { one, type SearchParams } from "#components/kit/list/search-params.ts";
import { ButtonLink } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { permitted } from "#lib/app/session/permitted.ts";
import { flagEnvironmentContract } from "#lib/flags/environments/contract.ts";
import { ApiError } from "#lib/platform/http/errors.ts";
import { cancelSchedule, schedule } from "../actions.ts";
import { accessOf, timezoneOf } from "../reads.ts";
import { promote, undoPromotion } from "./actions.ts";

export const metadata: Metadata = { title: "Promote feature flags" };

type Props = { params: Promise<{ project_id: string }>; searchParams: Promise<SearchParams> };

/** What promoting flags would do, or why they cannot be promoted. */
async function rehearse(project_id: string, from: number, keys: readonly string[]) {
  const api = await getApi();
  try {
    return await api.call(flagEnvironmentContract.promote, {
      params: { project_id },
      body: { from_project: from, flags: keys.map((key) => ({ key })), dry_run: true },
    });
  } catch (error) {
    if (error instanceof ApiError && (error.status === 400 || error.status === 403)) return error.message;
    throw error;
  }
}

export default async function PromotePage({ params, searchParams }: Props) {
  const { project_id } = await params;
  const given = await searchParams;
  const keys = [...new Set([given.key ?? []].flat())].filter(Boolean);
  const from = Number(one(given.from));
  const api = await getApi();
  const [access, linked] = await Promise.all([
    accessOf(),
    permitted(api.call(flagEnvironmentContract.linked, { params: { project_id } })),
  ]);
  const nameOf = (id: number) =>
    linked?.results.find((each) => each.project_id === id)?.name ?? `project ${id}`;
  const to = { id: Number(project_id), name: nameOf(Number(project_id)) };
  const source = { id: from, name: nameOf(from) };
  const isAsked = Number.isSafeInteger(from) && from > 0 && keys.length > 0;
  const header = (
    <PageHeader
      crumbs={[
        { label: "Feature flags", href: `/project/${project_id}/feature_flags` as Route },
        { label: "Environments", href: `/project/${project_id}/feature_flags/environments` as Route },
      ]}
      title={`Promote to ${to.name}`}
      description={
        isAsked
          ? `From ${source.name}. Choose what to take over; the rest stays as it is in ${to.name}.`
          : "Promotes flags from another environment."
      }
    />
  );
  if (!isAsked)
    return (
      <Page width="form">
        {header}
        <EmptyState
          icon={FilterX}
          title="No flags are chosen"
          actions={
            <ButtonLink
              href={
                `/project/${Number.isSafeInteger(from) && from > 0 ? from : project_id}/feature_flags/environments` as Route
              }
            >
              Choose flags
            </ButtonLink>
          }
        >
          Choose them in the comparison of environments.
        </EmptyState>
      </Page>
    );
  const planned = access.may_write ? await rehearse(project_id, from, keys) : null;
  return (
    <Page width="form">
      {header}
      <ReadOnlyNote access={access} />
      {planned === null ? null : typeof planned === "string" ? (
        <EmptyState icon={Lock} title="These flags cannot be promoted">
          {planned}
        </EmptyState>
      ) : (
        <Promotion
          key={JSON.stringify(
            planned.flags.map(({ key, version, source_version }) => [key, version, source_version]),
          )}
          from={source}
          to={to}
          initial={planned}
          access={access}
          timezone={await timezoneOf(project_id)}
          actions={{ promote, undoPromotion, schedule, cancelSchedule }}
        />
      )}
    </Page>
  );
}
