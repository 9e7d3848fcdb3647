import type { Route } from "next";
import type { SurveyActions } from "#app/project/[project_id]/surveys/survey-actions.ts";
import { type Access, ReadOnlyNote } from "#components/kit/access.tsx";
import { statusOf, TYPE_WORDS } from "#components/surveys/draft/status.ts";
import { ExportMenu } from "#components/surveys/results/filters/export-menu.tsx";
import { dayInWords } from "#components/surveys/results/filters/filter-words.ts";
import {
  filterParams,
  type ResultsQuery,
  type ResultsView,
  resultsHref,
} from "#components/surveys/results/filters/results-query.ts";
import { SurveyButtons } from "#components/surveys/survey-header-buttons.tsx";
import { Badge, Status } from "#components/ui/display/badge.tsx";
import { PageHeader } from "#components/ui/display/page-header.tsx";
import { UnreadableNote } from "#components/ui/display/unreadable.tsx";
import { TabLinks } from "#components/ui/tab-links.tsx";
import type { SurveyRecord } from "#lib/surveys/surveys/schema.ts";

type Props = {
  projectId: string;
  survey: SurveyRecord;
  query: ResultsQuery;
  access: Access;
  actions: SurveyActions;
  /** Milliseconds since the epoch. */
  now: number;
};

const TABS: readonly { view: ResultsView; label: string }[] = [
  { view: "results", label: "Results" },
  { view: "responses", label: "Responses" },
  { view: "flow", label: "Flow" },
  { view: "setup", label: "Setup" },
  { view: "history", label: "History" },
];

/** The header of a survey: name, status, actions, and tabs. */
export function SurveyHeader({ projectId, survey, query, access, actions, now }: Props) {
  return (
    <>
      <PageHeader
        crumbs={[{ label: "Surveys", href: `/project/${projectId}/surveys` as Route }]}
        title={survey.name}
        mark={
          <span className="flex flex-wrap items-center gap-2">
            <Status status={statusOf(survey, now)} />
            <Badge>{TYPE_WORDS[survey.type]}</Badge>
          </span>
        }
        description={[survey.description, datesOf(survey)].filter(Boolean).join(" · ")}
        actions={
          <span className="flex flex-wrap items-center gap-2 print:hidden">
            <ExportMenu
              projectId={projectId}
              surveyId={survey.id}
              params={filterParams(query)}
              what="The filtered responses"
              print
            />
            <SurveyButtons {...{ projectId, survey, access, actions, now }} />
          </span>
        }
        tabs={
          <div className="print:hidden">
            <TabLinks
              label="Views of the survey"
              tabs={TABS.map(({ view, label }) => ({
                label,
                href: resultsHref(projectId, survey.id, query, { view }),
                current: view === query.view,
              }))}
            />
          </div>
        }
      />
      <ReadOnlyNote access={access} />
      <UnreadableNote fields={survey.unreadable_fields} noun="survey" />
    </>
  );
}

function datesOf({ start_date, end_date }: SurveyRecord): string {
  if (!start_date) return "Not launched yet";
  const from = `From ${dayInWords(start_date.slice(0, 10))}`;
  return end_date ? `${from} to ${dayInWords(end_date.slice(0, 10))}` : from;
}
