import type { Links, ResultsQuery } from "#components/surveys/results/filters/results-query.ts";
import { Card } from "#components/ui/display/card.tsx";
import { formatNumber, plural } from "#lib/platform/format.ts";
import type { Crosstab } from "#lib/surveys/results/readings-schema.ts";
import { CrosstabExport } from "./crosstab-export.tsx";
import { type CrosstabOption, CrosstabPicker } from "./crosstab-picker.tsx";
import { categoryName } from "./crosstab-shares.ts";
import { CrosstabTable } from "./crosstab-table.tsx";

type Props = {
  crosstab: Crosstab;
  options: readonly CrosstabOption[];
  query: ResultsQuery;
  projectId: string;
  surveyId: string;
  links: Links;
};

/** Cross-tabulate two questions: a table, and whether the two have to do with one another. */
export function CrosstabCard({ crosstab, options, query, projectId, surveyId, links }: Props) {
  return (
    <Card title="Cross-tabulation" description={`${plural(crosstab.total, "response")} answer both.`}>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
        <CrosstabPicker
          projectId={projectId}
          surveyId={surveyId}
          query={query}
          options={options}
          row={crosstab.row_question.question_id}
          column={crosstab.column_question.question_id}
        />
        {crosstab.total > 0 ? <CrosstabExport crosstab={crosstab} /> : null}
      </div>
      {crosstab.total === 0 ? (
        <p className="py-4 text-center text-muted text-sm">
          No response within this filter answers both questions.
        </p>
      ) : (
        <>
          <p className="mb-3 max-w-prose text-pretty text-sm">{testInWords(crosstab)}</p>
          <CrosstabTable crosstab={crosstab} shares={query.shares} links={links} />
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

const pInWords = (p: number) => (p < SMALLEST ? "p < 0.001" : `p = ${formatNumber(p, 3)}`);

function strength(v: number): string {
  if (v < 0.1) return "hardly any";
  if (v < 0.3) return "a weak";
  return v < 0.5 ? "a moderate" : "a strong";
}

/** The result of the test of the whole table, in words. */
function testInWords(crosstab: Crosstab): string {
  const { test, row_question, column_question, row_categories, column_categories } = crosstab;
  // That several answers of one person are not tested together is a note below.
  if (!test && (row_question.multiple || column_question.multiple)) return "";
  const only = [row_categories, column_categories]
    .map((categories) => categories.filter(({ count }) => count > 0))
    .find((chosen) => chosen.length === 1)?.[0];
  if (only)
    return `Everybody who answers both is in “${categoryName(only.label)}”: there is nothing to compare.`;
  if (!test) return "There are too few answers, or too few different ones, to test the table.";
  const how =
    test.name === "fisher"
      ? `Fisher's exact test, ${pInWords(test.p_value)}`
      : `chi-square ${formatNumber(test.statistic ?? 0, 2)} with ${test.degrees_of_freedom} degrees of freedom, ${pInWords(test.p_value)}`;
  const v = test.cramers_v;
  const size = v === null ? "" : `, Cramér's V ${formatNumber(v, 2)}`;
  if (test.p_value >= 0.05) return `No evidence that the two answers are related (${how}${size}).`;
  const link =
    v === null
      ? "The two answers are related"
      : `There is ${strength(v)} association between the two answers`;
  return `${link} (${how}${size}).`;
}
