import { TimeChart } from "#components/charts/time/time-chart.tsx";
import { TableFiles } from "#components/experiments/results/metric-table/table-files.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/display/table.tsx";
import { Link } from "#components/ui/link.tsx";
import { variantColor } from "#components/ui/tone.ts";
import { plainNumber } from "#lib/engines/statistics/numbers.ts";
import { MULTIPLE } from "#lib/engines/statistics/sample-ratio.ts";
import { unitCount, unitWord } from "#lib/experiments/results/unit-words.ts";
import { formatCount } from "#lib/platform/format.ts";
import { peopleHref } from "./links.ts";
import type { Results, Variant } from "./model.ts";
import { SplitPhases } from "./split-phases.tsx";

type ExposuresProps = {
  projectId: string;
  experimentId: number;
  unit: string;
  variants: readonly Variant[];
  timeseries: readonly { variant: string; days: readonly string[]; exposure_counts: readonly number[] }[];
  totals: Readonly<Record<string, number>>;
  expected: Readonly<Record<string, number>> | null;
  phases: Results["health"]["phases"];
  events: readonly { at: string; label: string }[];
};

const nameOf = (variant: string) => (variant === MULTIPLE ? "several variants" : variant);

/** Variants in their order, and those who saw several where there are any. */
const keysOf = ({ variants, totals }: ExposuresProps): string[] => [
  ...variants.map(({ key }) => key),
  ...((totals[MULTIPLE] ?? 0) > 0 ? [MULTIPLE] : []),
];

/** How many were exposed, by variant and day, and whether the split is the configured one. */
export function Exposures(props: ExposuresProps) {
  const { variants, timeseries, totals, events } = props;
  const keys = keysOf(props);
  const all = variants.reduce((sum, { key }) => sum + (totals[key] ?? 0), 0);
  const multiple = totals[MULTIPLE] ?? 0;
  return (
    <Card
      title="Exposures"
      description={`${unitCount(all, props.unit)} took part.${multiple > 0 ? ` ${formatCount(multiple)} more got several variants.` : ""}`}
    >
      <div className="grid min-w-0 gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <TimeChart
          title="Exposures over time"
          hideTitle
          caption={captionOf(props, keys)}
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
        <ByVariant {...props} keys={keys} />
      </div>
      <SplitPhases phases={props.phases} unit={props.unit} />
    </Card>
  );
}

/** More names than these make a list nobody reads: the table beside it has them. */
const NAMED = 4;

function captionOf({ unit, totals }: ExposuresProps, keys: readonly string[]): string {
  const named = keys.slice(0, NAMED).map((key) => `${nameOf(key)} ${formatCount(totals[key] ?? 0)}`);
  const rest = keys.length > NAMED ? ` and ${keys.length - NAMED} more variants` : "";
  return `Total ${unitWord(unit)} exposed by the end of each day. So far: ${named.join(", ")}${rest}.`;
}

/** Where the split was changed, variants have the share that they got last. */
const shareWord = ({ phases }: Pick<ExposuresProps, "phases">) =>
  phases.length > 1 ? "Latest share" : "Share";

/** Exposures by variant, compared with the expected split. */
function ByVariant(props: ExposuresProps & { keys: readonly string[] }) {
  const { variants, totals, expected, keys } = props;
  const share = (key: string) => variants.find((variant) => variant.key === key)?.share ?? null;
  const table = {
    columns: ["Variant", `${shareWord(props)} in percent`, "Exposed", "Expected"].map((label) => ({ label })),
    rows: keys.map((key) => [nameOf(key), share(key), totals[key] ?? 0, expected?.[key] ?? null]),
  };
  return (
    <div className="min-w-0">
      <div className="flex justify-end">
        <TableFiles name="Exposures by variant" table={table} />
      </div>
      <Table caption="Exposures by variant" framed={false} minWidth="sm:min-w-0">
        <TableHead>
          <Th>Variant</Th>
          <Th align="right">{shareWord(props)}</Th>
          <Th align="right">Exposed</Th>
          <Th align="right">Expected</Th>
        </TableHead>
        <TableBody>
          {keys.map((key, index) => (
            <VariantRow key={key} {...props} variant={key} index={index} share={share(key)} />
          ))}
        </TableBody>
      </Table>
    </div>
  );
}

type VariantRowProps = ExposuresProps & { variant: string; index: number; share: number | null };

function VariantRow(props: VariantRowProps) {
  const { projectId, experimentId, totals, expected, variant, index, share } = props;
  const people =
    variant === MULTIPLE ? ({ kind: "multiple" } as const) : { kind: "exposed" as const, variant };
  return (
    <Tr>
      <Td place="title">
        <span className="flex items-center gap-2">
          <span
            aria-hidden="true"
            className="size-2.5 shrink-0 rounded-full"
            style={{ backgroundColor: variantColor(index) }}
          />
          {nameOf(variant)}
        </span>
      </Td>
      <Td label={shareWord(props)} align="right" className="tabular text-muted">
        {share === null ? "–" : `${plainNumber(share)}%`}
      </Td>
      <Td label="Exposed" align="right" className="tabular">
        <Link
          className="inline-block min-w-6 rounded-xs leading-6 underline-offset-[3px] hover:text-accent-text hover:underline"
          href={peopleHref(projectId, experimentId, people)}
        >
          {formatCount(totals[variant] ?? 0)}
        </Link>
      </Td>
      <Td label="Expected" align="right" className="tabular text-muted">
        {expected?.[variant] === undefined ? "–" : formatCount(Math.round(expected[variant]))}
      </Td>
    </Tr>
  );
}
