import Link from "next/link";
import { TimeChart } from "#components/charts/time_chart.tsx";
import { Card } from "#components/ui/card.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/table.tsx";
import { variantColor } from "#components/ui/tone.ts";
import { MULTIPLE } from "#lib/statistics/sample_ratio.ts";
import { plainNumber } from "#lib/statistics/words.ts";
import { peopleHref } from "./links.ts";
import { type Results, unitWord, type Variant } from "./model.ts";
import { SplitPhases } from "./split_phases.tsx";
import { TableFiles } from "./table_files.tsx";

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

const nameOf = (variant: string) => (variant === MULTIPLE ? "in several variants" : variant);

/** Variants in their order, and those who saw several where there are any. */
const keysOf = ({ variants, totals }: ExposuresProps): string[] => [
  ...variants.map(({ key }) => key),
  ...((totals[MULTIPLE] ?? 0) > 0 ? [MULTIPLE] : []),
];

const whole = (count: number) => count.toLocaleString("en");

/** How many were exposed, by variant and day, and whether the split is the configured one. */
export function Exposures(props: ExposuresProps) {
  const { variants, timeseries, totals, events } = props;
  const who = unitWord(props.unit);
  const keys = keysOf(props);
  const all = variants.reduce((sum, { key }) => sum + (totals[key] ?? 0), 0);
  const multiple = totals[MULTIPLE] ?? 0;
  return (
    <Card
      title="Exposures"
      description={`${whole(all)} ${who} took part.${multiple > 0 ? ` ${whole(multiple)} more saw several variants.` : ""}`}
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
  const who = unitWord(unit).replace(/^./, (letter) => letter.toUpperCase());
  const named = keys.slice(0, NAMED).map((key) => `${nameOf(key)} ${whole(totals[key] ?? 0)}`);
  const rest = keys.length > NAMED ? ` and ${keys.length - NAMED} more variants` : "";
  return `${who} exposed by the end of each day, from the start: ${named.join(", ")}${rest} by now.`;
}

/** Where the split was changed, variants have the share that they got last. */
const shareWord = ({ phases }: Pick<ExposuresProps, "phases">) =>
  phases.length > 1 ? "Latest share" : "Share";

/** Who got what so far, against what the split should have given. */
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
          {keys.map((key, place) => (
            <VariantRow key={key} {...props} variant={key} place={place} share={share(key)} />
          ))}
        </TableBody>
      </Table>
    </div>
  );
}

type VariantRowProps = ExposuresProps & { variant: string; place: number; share: number | null };

function VariantRow(props: VariantRowProps) {
  const { projectId, experimentId, totals, expected, variant, place, share } = props;
  const people =
    variant === MULTIPLE ? ({ kind: "multiple" } as const) : { kind: "exposed" as const, variant };
  return (
    <Tr>
      <Td place="title">
        <span className="flex items-center gap-2">
          <span
            aria-hidden="true"
            className="size-2.5 shrink-0 rounded-full"
            style={{ backgroundColor: variantColor(place) }}
          />
          {nameOf(variant)}
        </span>
      </Td>
      <Td label={shareWord(props)} align="right" className="tabular text-muted">
        {share === null ? "–" : `${plainNumber(share)} %`}
      </Td>
      <Td label="Exposed" align="right" className="tabular">
        <Link
          className="inline-block min-w-6 rounded-xs leading-6 underline-offset-[3px] hover:text-accent-text hover:underline"
          href={peopleHref(projectId, experimentId, people)}
        >
          {whole(totals[variant] ?? 0)}
        </Link>
      </Td>
      <Td label="Expected" align="right" className="tabular text-muted">
        {expected?.[variant] === undefined ? "–" : whole(Math.round(expected[variant]))}
      </Td>
    </Tr>
  );
}
