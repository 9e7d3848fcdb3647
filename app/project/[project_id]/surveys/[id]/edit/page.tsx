import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { ReadOnlyNote } from "#components/kit/access.tsx";
import type { SearchParams } from "#components/kit/list/search-params.ts";
import { Builder } from "#components/surveys/builder.tsx";
import { Page } from "#components/ui/display/page-header.tsx";
import { UnreadableNote } from "#components/ui/display/unreadable.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { partOf } from "../../part-of.ts";
import { namesFor, surveyAccess, surveyBy } from "../../reads.ts";
import { surveyActions } from "../../survey-actions.ts";

type Props = { params: Promise<{ project_id: string; id: string }>; searchParams: Promise<SearchParams> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { project_id, id } = await params;
  const survey = await surveyBy(await getApi(), project_id, id);
  return { title: survey ? `Edit ${survey.name}` : "Survey" };
}

export default async function EditSurveyPage({ params, searchParams }: Props) {
  const { project_id, id } = await params;
  const api = await getApi();
  const survey = await surveyBy(api, project_id, id);
  if (!survey) notFound();
  const [access, names] = await Promise.all([surveyAccess(), namesFor(api, project_id, survey)]);
  return (
    <Page>
      <ReadOnlyNote access={access} />
      <UnreadableNote fields={survey.unreadable_fields} noun="survey" />
      <Builder
        key={survey.id}
        projectId={project_id}
        survey={survey}
        names={names}
        access={access}
        actions={surveyActions}
        part={partOf((await searchParams).tab)}
        now={Date.now()}
      />
    </Page>
  );
}
