import { Route } from "lucide-react";
import { FilterLine } from "#components/survey_results/filter_line.tsx";
import { filterParts } from "#components/survey_results/filter_words.ts";
import { flowFigures } from "#components/survey_results/flow_figures.ts";
import { FlowTable } from "#components/survey_results/flow_table.tsx";
import { Problem } from "#components/survey_results/problem.tsx";
import { linksOf } from "#components/survey_results/results_query.ts";
import { SurveyGraph } from "#components/surveys/graph/survey_graph.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import type { ViewProps } from "./page.tsx";
import { resultsOf } from "./reads.ts";

/** The branching as it was drawn, and how many went along each of its ways. */
export async function FlowView({ api, projectId, survey, query, names }: ViewProps) {
  if ((survey.questions ?? []).length === 0)
    return (
      <EmptyState icon={Route} title="There are no questions yet">
        Once the survey has questions, this draws the ways through it, and how many people took each.
      </EmptyState>
    );
  const found = await resultsOf(api, { project_id: projectId, id: survey.id }, query);
  if (!found.data) return <Problem {...found.problem} />;
  const links = linksOf(projectId, survey.id, query);
  return (
    <div className="flex flex-col gap-4">
      <FilterLine
        results={found.data}
        parts={filterParts(query, survey.questions ?? [], names)}
        links={links}
      />
      <SurveyGraph
        questions={survey.questions ?? []}
        label={`Flow of ${survey.name}`}
        figures={flowFigures(found.data, links)}
        height="34rem"
      />
      <Card title="Where people stop" padded={false}>
        <FlowTable questions={found.data.questions} links={links} />
      </Card>
    </div>
  );
}
