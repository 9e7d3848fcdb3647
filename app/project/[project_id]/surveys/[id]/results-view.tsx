import { Suspense } from "react";
import { statusOf } from "#components/surveys/draft/status.ts";
import { Definitions } from "#components/surveys/results/definitions.tsx";
import { CrosstabCard } from "#components/surveys/results/figures/crosstab-card.tsx";
import { DurationsCard } from "#components/surveys/results/figures/durations-card.tsx";
import { IterationsCard } from "#components/surveys/results/figures/iterations-card.tsx";
import { OpenAnswers } from "#components/surveys/results/figures/open-answers.tsx";
import { FunnelCard, KeyFigures, OverTimeCard } from "#components/surveys/results/figures/overview.tsx";
import { PlanCard } from "#components/surveys/results/figures/plan-card.tsx";
import { figuresOf, QuestionCard } from "#components/surveys/results/figures/question-card.tsx";
import { QuestionNav } from "#components/surveys/results/figures/question-nav.tsx";
import { FilterLine } from "#components/surveys/results/filters/filter-line.tsx";
import { filterParts, shortened } from "#components/surveys/results/filters/filter-words.ts";
import { Problem } from "#components/surveys/results/filters/problem.tsx";
import { isFiltered, linksOf } from "#components/surveys/results/filters/results-query.ts";
import { NoResponses } from "#components/surveys/results/no-responses.tsx";
import { Statements } from "#components/surveys/results/statements.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { Skeleton } from "#components/ui/display/skeleton.tsx";
import { publicAddress } from "#lib/app/session/public-address.ts";
import type { QuestionFigures, SurveyResults } from "#lib/surveys/results/schema.ts";
import { projectToken } from "../../feature_flags/reads.ts";
import type { ViewProps } from "./reads.ts";
import { crosstabOf, resultsOf, statementsOf } from "./reads.ts";

/** All figures of the survey within the filter, from the funnel to the cross-tabulation. */
export async function ResultsView(props: ViewProps) {
  const { api, projectId, survey, query, names } = props;
  const found = await resultsOf(api, { project_id: projectId, id: survey.id }, query);
  if (!found.data) return <Problem {...found.problem} />;
  const results = found.data;
  const links = linksOf(projectId, survey.id, query);
  const now = Date.now();
  if (isEmpty(results) && !isFiltered(query))
    return (
      <NoResponses
        projectId={projectId}
        survey={survey}
        token={await projectToken(api, projectId)}
        origin={await publicAddress()}
        now={now}
      />
    );
  return (
    <div className="flex flex-col gap-4">
      <FilterLine results={results} parts={filterParts(query, survey.questions ?? [], names)} links={links} />
      <KeyFigures results={results} links={links} />
      <div className="grid gap-4 lg:grid-cols-[minmax(0,5fr)_minmax(0,7fr)]">
        <FunnelCard results={results} links={links} />
        <OverTimeCard results={results} links={links} events={marksOf(props, results)} />
      </div>
      <QuestionNav questions={results.questions} />
      {results.questions.map((question) => (
        <QuestionCard key={question.question_id} question={question} links={links}>
          <Texts {...props} question={question} />
        </QuestionCard>
      ))}
      <Suspense fallback={<Skeleton className="h-64 rounded-lg" />}>
        <Together {...props} questions={results.questions} />
      </Suspense>
      <IterationsCard results={results} links={links} />
      {isFiltered(query) ? null : (
        <PlanCard
          survey={survey}
          results={results}
          now={now}
          isRunning={statusOf(survey, now) === "running"}
        />
      )}
      <DurationsCard results={results} links={links} />
      <Definitions definitions={results.definitions} />
    </div>
  );
}

const isEmpty = (results: SurveyResults) =>
  results.total === 0 && results.funnel.every((step) => step.count === 0);

/** Launch and end on the chart over time, if within its days. */
function marksOf({ survey }: ViewProps, { over_time }: SurveyResults) {
  const [first, last] = [over_time[0]?.date ?? "", over_time.at(-1)?.date ?? ""];
  const mark = (date: string | null, label: string) => {
    const day = date?.slice(0, 10) ?? "";
    return day >= first && day <= last && day !== "" ? [{ at: day, label }] : [];
  };
  return [...mark(survey.start_date, "Launched"), ...mark(survey.end_date, "Stopped")];
}

function Texts(props: ViewProps & { question: QuestionFigures }) {
  const { projectId, survey, query, question } = props;
  if (figuresOf(question) !== "texts") return null;
  return (
    <div className="grid gap-x-8 gap-y-5 lg:grid-cols-[minmax(0,7fr)_minmax(0,5fr)]">
      <OpenAnswers
        projectId={projectId}
        surveyId={survey.id}
        query={query}
        questionId={question.question_id}
        question={question.question}
        rows={question.answered.rows}
      />
      <section aria-label={`Themes: ${question.question}`} className="min-w-0">
        <h3 className="mb-2 font-semibold text-sm">Themes</h3>
        <Suspense fallback={<Skeleton className="h-24" />}>
          <Themes {...props} />
        </Suspense>
      </section>
    </div>
  );
}

async function Themes({
  api,
  projectId,
  survey,
  query,
  question,
}: ViewProps & { question: QuestionFigures }) {
  const found = await statementsOf(
    api,
    { project_id: projectId, id: survey.id },
    query,
    question.question_id,
  );
  if (!found.data) return <Problem {...found.problem} />;
  return (
    <Statements read={found.data} question={question.question} links={linksOf(projectId, survey.id, query)} />
  );
}

async function Together({
  api,
  projectId,
  survey,
  query,
  questions,
}: ViewProps & { questions: readonly QuestionFigures[] }) {
  const able = questions.filter((question) => question.rating || question.choice);
  // Without a choice, those with the most answers: few answer both of others.
  const most = able.toSorted((a, b) => b.answered.count - a.answered.count);
  const row = able.find(({ question_id }) => question_id === query.row_question) ?? most[0];
  const column =
    able.find(
      ({ question_id }) => question_id === query.column_question && question_id !== row?.question_id,
    ) ?? most.find(({ question_id }) => question_id !== row?.question_id);
  if (!row || !column) return null;
  const found = await crosstabOf(api, { project_id: projectId, id: survey.id }, query, {
    row: row.question_id,
    column: column.question_id,
  });
  if (!found.data)
    return (
      <Card title="Cross-tabulation">
        <Problem {...found.problem} />
      </Card>
    );
  return (
    <CrosstabCard
      crosstab={found.data}
      options={able.map((question) => ({
        id: question.question_id,
        label: `${question.question_index + 1}. ${shortened(question.question, 60)}`,
        rating: question.rating !== null,
      }))}
      query={query}
      projectId={projectId}
      surveyId={survey.id}
      links={linksOf(projectId, survey.id, query)}
    />
  );
}
