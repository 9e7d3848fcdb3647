import { ArrowDown, ArrowUp } from "lucide-react";
import type { Links, TableShares } from "#components/surveys/results/filters/results-query.ts";
import { OpenLink } from "#components/surveys/results/open-link.tsx";
import { formatCount, formatNumber, formatPercent } from "#lib/platform/format.ts";
import type { Crosstab } from "#lib/surveys/results/readings-schema.ts";
import { categoryName as named, SHARES_OF, shareIn } from "./crosstab-shares.ts";

type Cell = Crosstab["cells"][number][number];
type Props = { crosstab: Crosstab; shares: TableShares; links: Links };

const head = "border-b bg-sunken px-2.5 py-1.5 font-medium text-muted";

/**
 * Counts and shares. Shades follow the share; arrows mark cells that stand out after correction.
 */
export function CrosstabTable({ crosstab, shares, links }: Props) {
  const { row_question, column_question, row_categories, column_categories, cells } = crosstab;
  return (
    <section
      aria-label="Cross-tabulation"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls sideways has to be reached by keys
      tabIndex={0}
      className="relative overflow-x-auto rounded-md border scroll-thin print:overflow-visible"
    >
      <table className="w-full border-separate border-spacing-0 text-xs">
        <caption className="sr-only">{`${row_question.question} against ${column_question.question}: responses, and their share ${SHARES_OF[shares]}`}</caption>
        <thead>
          <tr>
            <th scope="col" className={`${head} sticky left-0 z-10 text-left`}>
              <span className="block max-w-48 break-words">{row_question.question}</span>
              <span className="block font-normal text-faint">responses, % {SHARES_OF[shares]}</span>
            </th>
            {column_categories.map((column) => (
              <th key={column.key} scope="col" className={`${head} text-right`}>
                <span className="ml-auto line-clamp-3 max-w-36 break-words" title={column.label}>
                  {named(column.label)}
                </span>
                <OpenLink
                  href={links.open(column.rows, `${column_question.question}: ${named(column.label)}`)}
                  className="font-normal text-faint"
                >
                  {formatCount(column.count)}
                </OpenLink>
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="[&_tr:not(:last-child)>*]:border-b">
          {row_categories.map((row, at) => (
            <tr key={row.key}>
              <th
                scope="row"
                className="sticky left-0 z-10 bg-surface px-2.5 py-1.5 text-left font-normal text-ink"
              >
                <span className="line-clamp-3 max-w-48 break-words" title={row.label}>
                  {named(row.label)}
                </span>
                <OpenLink
                  href={links.open(row.rows, `${row_question.question}: ${named(row.label)}`)}
                  className="text-faint"
                >
                  {formatCount(row.count)}
                </OpenLink>
              </th>
              {(cells[at] ?? []).map((cell, place) => (
                <OneCell
                  key={column_categories[place]?.key}
                  cell={cell}
                  share={shareIn(crosstab, cell, shares)}
                  href={links.open(
                    cell.rows,
                    `${named(row.label)} and ${named(column_categories[place]?.label ?? "")}`,
                  )}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const DIRECTIONS = {
  more: { icon: ArrowUp, words: "more than expected" },
  fewer: { icon: ArrowDown, words: "fewer than expected" },
};

type CellProps = { cell: Cell; share: number | null; href: ReturnType<Links["open"]> };

function OneCell({ cell, share, href }: CellProps) {
  const deviation = cell.direction === "none" ? null : DIRECTIONS[cell.direction];
  const Icon = deviation?.icon;
  const expected = cell.expected === null ? "" : `Expected ${formatNumber(cell.expected, 1)}.`;
  const corrected = cell.p_value === null ? "" : ` Corrected p ${formatNumber(cell.p_value, 3)}.`;
  return (
    <td
      title={`${expected}${corrected}`}
      className="tabular px-2.5 py-1.5 text-right"
      style={{
        backgroundColor: `color-mix(in oklch, var(--variant-2) ${Math.round((share ?? 0) * 34)}%, transparent)`,
      }}
    >
      <span className="flex items-center justify-end gap-1 font-medium text-ink">
        {Icon ? <Icon aria-hidden="true" className="size-3" /> : null}
        <OpenLink href={href}>{formatCount(cell.count)}</OpenLink>
        {deviation ? <span className="sr-only">{deviation.words}</span> : null}
      </span>
      <span className="text-ink">{share === null ? "–" : formatPercent(share)}</span>
      {cell.small && share !== null ? (
        <span className="ml-1 text-warning-text" title="Fewer than five responses: interpret with care">
          few
        </span>
      ) : null}
    </td>
  );
}
