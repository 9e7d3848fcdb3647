import { Card } from "#components/ui/card.tsx";
import type { Crosstab } from "#lib/survey_results/readings_schema.ts";
import { type CrosstabOption, CrosstabPicker } from "./crosstab_picker.tsx";
import { CrosstabTable } from "./crosstab_table.tsx";
import type { Links, ResultsQuery } from "./results_query.ts";
import { decimal, plural } from "./words.ts";

type Props = {
  crosstab: Crosstab;
  options: readonly CrosstabOption[];
  query: ResultsQuery;
  projectId: string;
  surveyId: string;
  links: Links;
};

/** Answers to two questions against each other: a table, and whether the two have to do with one another. */
export function CrosstabCard({ crosstab, options, query, projectId, surveyId, links }: Props) {
  return (
    <Card title="Two questions together" description={`${plural(crosstab.total, "response")} answer both.`}>
      <div className="mb-3">
        <CrosstabPicker
          projectId={projectId}
          surveyId={surveyId}
          query={query}
          options={options}
          row={crosstab.row_question.question_id}
          column={crosstab.column_question.question_id}
        />
      </div>
      {crosstab.total === 0 ? (
        <p className="py-4 text-center text-muted text-sm">
          No response answers both questions within this filter.
        </p>
      ) : (
        <>
          <p className="mb-3 max-w-prose text-pretty text-sm">{testInWords(crosstab)}</p>
          <CrosstabTable crosstab={crosstab} links={links} />
        </>
      )}
      {crosstab.notes.length > 0 ? (
        <ul className="mt-3 flex max-w-prose list-disc flex-col gap-1 pl-4 text-muted text-xs">
          {crosstab.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      ) : null}
    </Card>
  );
}

const SMALLEST = 0.001;

const pInWords = (p: number) => (p < SMALLEST ? "p < 0.001" : `p = ${decimal(p, 3)}`);

function strength(v: number): string {
  if (v < 0.1) return "hardly any";
  if (v < 0.3) return "a weak";
  return v < 0.5 ? "a moderate" : "a strong";
}

/** What the test of the whole table says, in plain words with its figures. */
function testInWords({ test }: Pick<Crosstab, "test">): string {
  if (!test) return "There are too few answers, or too few kinds of them, for a test.";
  const how =
    test.name === "fisher"
      ? `Fisher's exact test, ${pInWords(test.p_value)}`
      : `chi-square ${decimal(test.statistic ?? 0)} with ${test.degrees_of_freedom} degrees of freedom, ${pInWords(test.p_value)}`;
  const v = test.cramers_v;
  const size = v === null ? "" : `, Cramér's V ${decimal(v)}`;
  if (test.p_value >= 0.05)
    return `Nothing here says that the two answers have to do with each other (${how}${size}).`;
  const link =
    v === null
      ? "The two answers have to do with each other"
      : `There is ${strength(v)} connection between the two answers`;
  return `${link} (${how}${size}).`;
}
