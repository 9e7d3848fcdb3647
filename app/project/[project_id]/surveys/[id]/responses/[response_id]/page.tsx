import type { Metadata, Route } from "next";
import { notFound } from "next/navigation";
import { ArchiveButton } from "#components/surveys/results/responses/archive-button.tsx";
import { ResponseDetail } from "#components/surveys/results/responses/response-detail.tsx";
import { rowWords, whoOf } from "#components/surveys/results/responses/response-words.ts";
import { Page, PageHeader } from "#components/ui/display/page-header.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { surveyAccess, surveyBy } from "../../../reads.ts";
import { responseBy } from "../../reads.ts";
import { responseActions } from "../../response-actions.ts";

type Props = { params: Promise<{ project_id: string; id: string; response_id: string }> };

export const metadata: Metadata = { title: "Response" };

/** One response: person, time, path, and all answers. */
export default async function ResponsePage({ params }: Props) {
  const { project_id, id, response_id } = await params;
  const api = await getApi();
  const [survey, row, access] = await Promise.all([
    surveyBy(api, project_id, id),
    responseBy(api, { project_id, id }, response_id),
    surveyAccess(),
  ]);
  if (!survey || !row) notFound();
  const results = `/project/${project_id}/surveys/${id}`;
  return (
    <Page width="form">
      <PageHeader
        crumbs={[
          { label: "Surveys", href: `/project/${project_id}/surveys` as Route },
          { label: survey.name, href: results as Route },
          { label: "Responses", href: `${results}?view=responses` as Route },
        ]}
        title={`Response of ${whoOf(row)}`}
        description={
          <>
            {rowWords(row)}, <RelativeTime date={row.timestamp} />
          </>
        }
        actions={
          <ArchiveButton
            projectId={project_id}
            surveyId={id}
            uuid={row.uuid}
            archived={row.archived}
            access={access}
            actions={responseActions}
          />
        }
      />
      <ResponseDetail projectId={project_id} row={row} questions={survey.questions ?? []} />
    </Page>
  );
}
