import type { Route } from "next";
import type { Access } from "#components/feature_flags/flag_actions.ts";
import { ReadOnlyNote } from "#components/feature_flags/read_only_note.tsx";
import { statusOf, TYPE_WORDS } from "#components/surveys/status.ts";
import type { SurveyActions } from "#components/surveys/survey_actions.ts";
import { SurveyButtons } from "#components/surveys/survey_header_buttons.tsx";
import { Badge, Status } from "#components/ui/badge.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { TabLinks } from "#components/ui/tabs.tsx";
import { UnreadableNote } from "#components/ui/unreadable.tsx";
import type { SurveyRecord } from "#lib/surveys/schema.ts";
import { ExportMenu } from "./export_menu.tsx";
import { dayInWords } from "./filter_words.ts";
import { filterParams, type ResultsQuery, type ResultsView, resultsHref } from "./results_query.ts";

type Props = {
  projectId: string;
  survey: SurveyRecord;
  query: ResultsQuery;
  access: Access;
  actions: SurveyActions;
  /** Milliseconds since 1970. */
  now: number;
};

const TABS: readonly { view: ResultsView; label: string }[] = [
  { view: "results", label: "Results" },
  { view: "responses", label: "Responses" },
  { view: "flow", label: "Flow" },
  { view: "setup", label: "Set-up" },
  { view: "history", label: "History" },
];

/** Which survey it is, where it stands, what can be done with it, and its views. */
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
              what="The responses under the filter"
              print
            />
            <SurveyButtons projectId={projectId} survey={survey} access={access} actions={actions} />
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
