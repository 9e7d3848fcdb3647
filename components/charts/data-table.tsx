import type { Route } from "next";
import { cn } from "#components/ui/cn.ts";
import { TextLink } from "#components/ui/text-link.tsx";
import { cellText, type TableData } from "./csv.ts";

/** The chart as a table; a row's first figure opens its rows. */
export function DataTable({
  data,
  links,
  caption,
}: {
  data: TableData;
  /** Address of each cell's rows, by row and column. */
  links?: (row: number, column: number) => Route | undefined;
  caption: string;
}) {
  return (
    <section
      aria-label={`Table of ${caption}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keys
      tabIndex={0}
      className="max-h-96 overflow-auto rounded-md border scroll-thin print:max-h-none print:overflow-visible"
    >
      <table className="w-full border-separate border-spacing-0 text-xs">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr>
            {data.columns.map((column) => (
              <th
                key={column.label}
                scope="col"
                className={cn(
                  "sticky top-0 border-b bg-sunken px-2.5 py-1.5 font-medium text-muted",
                  column.numeric ? "text-right" : "text-left",
                )}
              >
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="[&_tr:not(:last-child)>*]:border-b">
          {data.rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity, and are never reordered
            <tr key={at}>
              {row.map((cell, column) => {
                const href = links?.(at, column);
                const Cell = column === 0 ? "th" : "td";
                return (
                  <Cell
                    key={data.columns[column]?.label}
                    scope={column === 0 ? "row" : undefined}
                    className={cn(
                      "px-2.5 py-1.5 font-normal",
                      data.columns[column]?.numeric
                        ? "tabular whitespace-nowrap text-right text-ink"
                        : "text-left",
                      column === 0 && "text-ink",
                      data.columns[column]?.short && "whitespace-nowrap",
                    )}
                  >
                    {href ? <TextLink href={href}>{cellText(cell)}</TextLink> : cellText(cell)}
                  </Cell>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
