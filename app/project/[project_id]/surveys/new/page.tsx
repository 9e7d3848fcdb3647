import type { Metadata, Route } from "next";
import { ReadOnlyNote } from "#components/kit/access.tsx";
import { one, type SearchParams } from "#components/kit/list/search-params.ts";
import { PRESETS } from "#components/surveys/appearance/colours.ts";
import { Builder } from "#components/surveys/builder.tsx";
import { copyOfSurvey, newDraft, type SurveyDraft } from "#components/surveys/draft/survey-draft.ts";
import { TEMPLATES } from "#components/surveys/draft/templates.ts";
import { TemplateCards } from "#components/surveys/empty-surveys.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { readRevision } from "../../change_requests/read-revision.ts";
import { partOf } from "../part-of.ts";
import { namesFor, surveyAccess, surveyBy } from "../reads.ts";
import { surveyActions } from "../survey-actions.ts";

export const metadata: Metadata = { title: "New survey" };

type Props = { params: Promise<{ project_id: string }>; searchParams: Promise<SearchParams> };

const LOOK = PRESETS[0]?.colours ?? {};

function templateDraft(id: string): SurveyDraft | null {
  if (id === "blank") return newDraft({}, [{ type: "open", question: "" }], LOOK);
  const template = TEMPLATES.find((each) => each.id === id);
  if (!template) return null;
  const { name, type, questions, appearance } = template;
  return newDraft({ name, type }, questions, { ...LOOK, ...appearance });
}

export default async function NewSurveyPage({ params, searchParams }: Props) {
  const { project_id } = await params;
  const asked = await searchParams;
  const api = await getApi();
  const from = await surveyBy(api, project_id, one(asked.from));
  const [access, names, revision] = await Promise.all([
    surveyAccess(),
    namesFor(api, project_id, from),
    readRevision(api, project_id, asked, "surveys/"),
  ]);
  const start = revision ? newDraft({}, []) : from ? copyOfSurvey(from) : templateDraft(one(asked.template));
  if (!start || !access.may_write)
    return (
      <Page width="wide">
        <PageHeader
          crumbs={[{ label: "Surveys", href: `/project/${project_id}/surveys` as Route }]}
          title="New survey"
          description="Start with a complete survey and change what you like, or with an empty one."
          actions={
            access.may_write ? (
              <ButtonLink
                href={`/project/${project_id}/surveys/new?template=blank` as Route}
                variant="primary"
              >
                Start from scratch
              </ButtonLink>
            ) : null
          }
        />
        <ReadOnlyNote access={access} />
        <TemplateCards projectId={project_id} access={access} />
      </Page>
    );
  return (
    <Page>
      <Builder
        key={`${one(asked.from)} ${one(asked.template)} ${revision?.id}`}
        revision={revision}
        projectId={project_id}
        survey={null}
        start={start}
        names={names}
        access={access}
        actions={surveyActions}
        part={partOf(asked.tab)}
        now={Date.now()}
      />
    </Page>
  );
}
