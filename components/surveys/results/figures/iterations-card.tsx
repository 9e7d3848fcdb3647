import { IntervalPlot } from "#components/charts/interval-plot.tsx";
import { dayInWords } from "#components/surveys/results/filters/filter-words.ts";
import type { Links } from "#components/surveys/results/filters/results-query.ts";
import { OpenLink } from "#components/surveys/results/open-link.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/display/table.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import { wilsonInterval } from "#lib/engines/statistics/proportions.ts";
import { formatCount, formatPercent } from "#lib/platform/format.ts";
import type { SurveyResults } from "#lib/surveys/results/schema.ts";

const COLUMNS = ["shown", "dismissed", "answered", "completed"] as const;

/** The iterations of the survey, side by side. */
export function IterationsCard({ results, links }: { results: SurveyResults; links: Links }) {
  if (results.iterations.length === 0) return null;
  return (
    <Card title="Iterations" description="Select an iteration to filter the page." padded={false}>
      <Table caption="Iterations" framed={false} minWidth="sm:min-w-[36rem]">
        <TableHead>
          <Th>Iteration</Th>
          <Th align="right">Shown</Th>
          <Th align="right">Dismissed</Th>
          <Th align="right">Answered</Th>
          <Th align="right">Completed</Th>
          <Th align="right">Response rate</Th>
        </TableHead>
        <TableBody>
          {results.iterations.map((each) => (
            <Tr key={each.iteration}>
              <Td place="title">
                <TextLink href={links.go({ iteration: String(each.iteration) })}>
                  {each.iteration === 0 ? "None" : `Iteration ${each.iteration}`}
                </TextLink>
                {each.start_date ? (
                  <span className="ml-2 text-faint text-xs">{dayInWords(each.start_date.slice(0, 10))}</span>
                ) : null}
              </Td>
              {COLUMNS.map((column) => (
                <Td key={column} label={column.replace(/^./, (letter) => letter.toUpperCase())} align="right">
                  <OpenLink href={links.open(each[column].rows, `Iteration ${each.iteration}: ${column}`)}>
                    {formatCount(each[column].count)}
                  </OpenLink>
                </Td>
              ))}
              <Td label="Response rate" align="right">
                {each.shown.count > 0 ? formatPercent(each.answered.count / each.shown.count) : "–"}
              </Td>
            </Tr>
          ))}
        </TableBody>
      </Table>
      <Rates results={results} links={links} />
    </Card>
  );
}

/** The response rates of the iterations on one scale, if there are at least two. */
function Rates({ results, links }: { results: SurveyResults; links: Links }) {
  const rated = results.iterations.filter(
    (each) => each.shown.count > 0 && each.answered.count <= each.shown.count,
  );
  if (rated.length < 2) return null;
  return (
    <div className="border-t px-4 py-3">
      <IntervalPlot
        title="Response rate of each iteration"
        caption="Dots are rates, lines their 95% intervals: where two lines overlap widely, the rates may be the same."
        measure={{ unit: "share" }}
        valueName="Response rate"
        intervalName="95% interval"
        rows={rated.map(({ iteration, shown, answered }) => {
          return {
            key: String(iteration),
            label: iteration === 0 ? "None" : `Iteration ${iteration}`,
            estimate: answered.count / shown.count,
            interval: wilsonInterval(answered.count, shown.count),
            colorIndex: 1,
            detail: `${formatCount(answered.count)} of ${formatCount(shown.count)}`,
            href: links.go({ iteration: String(iteration) }),
          };
        })}
      />
    </div>
  );
}
