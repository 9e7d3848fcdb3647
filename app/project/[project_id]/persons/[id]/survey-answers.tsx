import type { Route } from "next";
import { withQuery } from "#components/kit/list/search-params.ts";
import { ResponseItem } from "#components/surveys/results/responses/response-item.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { RowKeys } from "#components/ui/row-keys.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import { getApi } from "#lib/app/session/api.ts";
import { formatFullDay, plural } from "#lib/platform/format.ts";
import { personSurveysContract } from "#lib/surveys/results/person-contract.ts";

const PAGE_SIZE = 25;

type Props = { projectId: string; id: string; offset: number };
type Named = { id: string; name: string | null };

function SurveyName({ projectId, survey }: { projectId: string; survey: Named }) {
  if (survey.name === null) return <span className="text-muted text-sm">Deleted survey</span>;
  return (
    <TextLink
      href={`/project/${projectId}/surveys/${survey.id}` as Route}
      className="break-words font-medium text-sm"
    >
      {survey.name}
    </TextLink>
  );
}

/** What a person answered, newest first, and which surveys they have seen. */
export async function SurveyAnswers({ projectId, id, offset }: Props) {
  const api = await getApi();
  const { count, results, surveys } = await api.call(personSurveysContract.survey_responses, {
    params: { project_id: projectId, id },
    query: { limit: String(PAGE_SIZE), offset: String(offset) },
  });
  if (count === 0 && surveys.length === 0)
    return (
      <EmptyState title="No surveys yet">Surveys that this person sees or answers appear here.</EmptyState>
    );
  const here = `/project/${projectId}/persons/${id}`;
  return (
    <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <div>
        {results.length === 0 ? (
          <EmptyState title="No answers">This person has seen surveys, but answered none.</EmptyState>
        ) : (
          <RowKeys noun="response">
            <ol
              aria-label="Survey answers"
              className="divide-y overflow-clip rounded-lg border bg-surface shadow-card"
            >
              {results.map(({ survey, ...row }) => (
                <ResponseItem
                  key={row.uuid}
                  projectId={projectId}
                  surveyId={survey.id}
                  row={row}
                  title={<SurveyName projectId={projectId} survey={survey} />}
                />
              ))}
            </ol>
          </RowKeys>
        )}
        <Pagination
          offset={offset}
          limit={PAGE_SIZE}
          count={count}
          noun={count === 1 ? "response" : "responses"}
          hrefFor={(next) =>
            withQuery(here, { tab: "answers", offset: next ? String(next) : undefined }) as Route
          }
        />
      </div>
      <Card title="Surveys seen">
        <ul className="flex flex-col gap-3">
          {surveys.map((survey) => (
            <li key={survey.id} className="min-w-0">
              <SurveyName projectId={projectId} survey={survey} />
              <p className="text-muted text-xs">{seenWords(survey)}</p>
              <p className="text-faint text-xs">Last on {formatFullDay(Date.parse(survey.last_day))}</p>
            </li>
          ))}
        </ul>
      </Card>
    </div>
  );
}

type Seen = { shown: number; dismissed: number; left: number; abandoned: number };

function seenWords({ shown, dismissed, left, abandoned }: Seen): string {
  const times = (count: number, what: string) => (count > 0 ? [`${what} ${plural(count, "time")}`] : []);
  const words = [
    ...times(shown, "shown"),
    ...times(dismissed, "dismissed"),
    ...times(left, "left unfinished"),
    ...times(abandoned, "abandoned"),
  ];
  return words.length > 0 ? words.join(", ") : "answered";
}
