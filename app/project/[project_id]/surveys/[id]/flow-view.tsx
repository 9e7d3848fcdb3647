import { Route } from "lucide-react";
import { SurveyGraph } from "#components/surveys/graph/survey-graph.tsx";
import { FilterLine } from "#components/surveys/results/filters/filter-line.tsx";
import { filterParts } from "#components/surveys/results/filters/filter-words.ts";
import { Problem } from "#components/surveys/results/filters/problem.tsx";
import { linksOf } from "#components/surveys/results/filters/results-query.ts";
import { flowFigures } from "#components/surveys/results/flow-figures.ts";
import { FlowTable } from "#components/surveys/results/flow-table.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import type { ViewProps } from "./reads.ts";
import { resultsOf } from "./reads.ts";

/** The graph of the survey, with the traffic of each edge. */
export async function FlowView({ api, projectId, survey, query, names }: ViewProps) {
  if ((survey.questions ?? []).length === 0)
    return (
      <EmptyState icon={Route} title="There are no questions yet">
        Once the survey has questions, this shows the paths through it and how many people took each.
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
