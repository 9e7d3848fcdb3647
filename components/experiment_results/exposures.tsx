import Link from "next/link";
import { TimeChart } from "#components/charts/time_chart.tsx";
import { Card } from "#components/ui/card.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/table.tsx";
import { variantColor } from "#components/ui/tone.ts";
import { MULTIPLE } from "#lib/statistics/sample_ratio.ts";
import { plainNumber } from "#lib/statistics/words.ts";
import { peopleHref } from "./links.ts";
import { unitWord, type Variant } from "./model.ts";
import { TableFiles } from "./table_files.tsx";

type ExposuresProps = {
  projectId: string;
  experimentId: number;
  unit: string;
  variants: readonly Variant[];
  timeseries: readonly { variant: string; days: readonly string[]; exposure_counts: readonly number[] }[];
  totals: Readonly<Record<string, number>>;
  expected: Readonly<Record<string, number>> | null;
  events: readonly { at: string; label: string }[];
};

const nameOf = (variant: string) => (variant === MULTIPLE ? "in several variants" : variant);

/** How many were exposed, by variant and day, and whether the split is the configured one. */
export function Exposures(props: ExposuresProps) {
  const { projectId, experimentId, variants, timeseries, totals, expected, events } = props;
  const who = unitWord(props.unit);
  const keys = [...variants.map(({ key }) => key), ...((totals[MULTIPLE] ?? 0) > 0 ? [MULTIPLE] : [])];
  const all = variants.reduce((sum, { key }) => sum + (totals[key] ?? 0), 0);
  const multiple = totals[MULTIPLE] ?? 0;
  const share = (key: string) => variants.find((variant) => variant.key === key)?.share ?? null;
  const table = {
    columns: ["Variant", "Share in percent", "Exposed", "Expected"].map((label) => ({ label })),
    rows: keys.map((key) => [nameOf(key), share(key), totals[key] ?? 0, expected?.[key] ?? null]),
  };
  return (
    <Card
      title="Exposures"
      description={`${all.toLocaleString("en")} ${who} took part.${multiple > 0 ? ` ${multiple.toLocaleString("en")} more saw several variants.` : ""}`}
    >
      <div className="grid min-w-0 gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <TimeChart
          title="Exposures over time"
          hideTitle
          caption={`${who[0]?.toUpperCase()}${who.slice(1)} exposed by the end of each day, from the start.`}
          measure={{ unit: "count" }}
          height={220}
          events={events}
          grouping="last"
          series={timeseries.map(({ variant, days, exposure_counts }) => ({
            key: variant,
            name: nameOf(variant),
            colorIndex: keys.indexOf(variant),
            points: days.map((at, i) => ({ at, value: exposure_counts[i] ?? null })),
          }))}
        />
        <div className="min-w-0">
          <div className="flex justify-end">
            <TableFiles name="Exposures by variant" table={table} />
          </div>
          <Table caption="Exposures by variant" framed={false} minWidth="sm:min-w-0">
            <TableHead>
              <Th>Variant</Th>
              <Th align="right">Share</Th>
              <Th align="right">Exposed</Th>
              <Th align="right">Expected</Th>
            </TableHead>
            <TableBody>
              {keys.map((key, i) => (
                <Tr key={key}>
                  <Td place="title">
                    <span className="flex items-center gap-2">
                      <span
                        aria-hidden="true"
                        className="size-2.5 shrink-0 rounded-full"
                        style={{ backgroundColor: variantColor(i) }}
                      />
                      {nameOf(key)}
                    </span>
                  </Td>
                  <Td label="Share" align="right" className="tabular text-muted">
                    {share(key) === null ? "–" : `${plainNumber(share(key) ?? 0)} %`}
                  </Td>
                  <Td label="Exposed" align="right" className="tabular">
                    <Link
                      className="inline-block min-w-6 rounded-xs leading-6 underline-offset-[3px] hover:text-accent-text hover:underline"
                      href={peopleHref(
                        projectId,
                        experimentId,
                        key === MULTIPLE ? { kind: "multiple" } : { kind: "exposed", variant: key },
                      )}
                    >
                      {(totals[key] ?? 0).toLocaleString("en")}
                    </Link>
                  </Td>
                  <Td label="Expected" align="right" className="tabular text-muted">
                    {expected?.[key] === undefined ? "–" : Math.round(expected[key]).toLocaleString("en")}
                  </Td>
                </Tr>
              ))}
            </TableBody>
          </Table>
        </div>
      </div>
    </Card>
  );
}
