import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { ReadOnlyNote } from "#components/kit/access.tsx";
import type { SearchParams } from "#components/kit/list/search-params.ts";
import { Builder } from "#components/surveys/builder.tsx";
import { storedBody } from "#components/surveys/draft/survey-draft.ts";
import { bodyAsOf } from "#components/surveys/draft/versions.ts";
import { Page } from "#components/ui/display/page-header.tsx";
import { UnreadableNote } from "#components/ui/display/unreadable.tsx";
import { getApi } from "#lib/app/session/api.ts";
import type { Client } from "#lib/platform/http/client.ts";
import type { SurveyRecord } from "#lib/surveys/surveys/schema.ts";
import { readRevision } from "../../../change_requests/read-revision.ts";
import { partOf } from "../../part-of.ts";
import { namesFor, surveyAccess, surveyBy } from "../../reads.ts";
import { surveyActions } from "../../survey-actions.ts";
import { logOf } from "../reads.ts";

type Props = { params: Promise<{ project_id: string; id: string }>; searchParams: Promise<SearchParams> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { project_id, id } = await params;
  const survey = await surveyBy(await getApi(), project_id, id);
  return { title: survey ? `Edit ${survey.name}` : "Survey" };
}

/** A survey as it was after an entry of its log; null if there is no such entry. */
async function versionOf(api: Client, project_id: string, survey: SurveyRecord, entryId: string) {
  const log = (await logOf(api, { project_id, id: survey.id }))?.results ?? [];
  const body = bodyAsOf(storedBody(survey), log, entryId);
  const entry = log.find(({ id }) => id === entryId);
  return body && entry ? { body, made_at: entry.created_at } : null;
}

export default async function EditSurveyPage({ params, searchParams }: Props) {
  const { project_id, id } = await params;
  const api = await getApi();
  const survey = await surveyBy(api, project_id, id);
  if (!survey) notFound();
  const query = await searchParams;
  const { tab, version } = query;
  const [revision, access, names, past] = await Promise.all([
    readRevision(api, project_id, query, `surveys/${id}/`),
    surveyAccess(),
    namesFor(api, project_id, survey),
    typeof version === "string" ? versionOf(api, project_id, survey, version) : null,
  ]);
  const isLaunch = revision !== undefined && "start_date" in revision.body;
  return (
    <Page>
      <ReadOnlyNote access={access} />
      <UnreadableNote fields={survey.unreadable_fields} noun="survey" />
      <Builder
        key={`${survey.id} ${past?.made_at} ${revision?.id}`}
        {...(isLaunch ? { launchRevision: revision } : { revision })}
        projectId={project_id}
        survey={survey}
        past={past}
        names={names}
        access={access}
        actions={surveyActions}
        part={partOf(tab)}
        now={Date.now()}
      />
    </Page>
  );
}
