import type { Route } from "next";
import type { ResultActions } from "#app/project/[project_id]/experiments/[id]/result-actions.ts";
import { TimeChart } from "#components/charts/time/time-chart.tsx";
import { TableFiles } from "#components/experiments/results/metric-table/table-files.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { Progress } from "#components/ui/display/progress.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/display/table.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import { falsePositiveRates } from "#lib/engines/statistics/peeking.ts";
import type { Settings } from "#lib/engines/statistics/types.ts";
import { describePeeking } from "#lib/engines/statistics/words.ts";
import type { Look } from "#lib/experiments/results/result-schema.ts";
import { unitCount, unitWord } from "#lib/experiments/results/unit-words.ts";
import { formatCount, formatPercent, plural } from "#lib/platform/format.ts";
import { HidingSwitch } from "./hiding-switch.tsx";

const SHOWN = 8;

type PeekingProps = {
  projectId: string;
  experimentId: number;
  looks: readonly Look[];
  settings: Settings;
  unit: string;
  planned: { sample: number | null; reached: boolean | null; days_left: number | null };
  total: number;
  /** Link to the same results with sequential intervals; null if these are already. */
  peekSafeHref: Route | null;
  hiding: { isOn: boolean; mayChange: boolean; hide: ResultActions["hide"] };
};

/** Who looked when, and how that raised the chance of a false positive. */
export function Peeking(props: PeekingProps) {
  const { looks, settings, planned, total, unit, hiding } = props;
  const amounts = looks.map((look) => look.total);
  const { sentence } = describePeeking(amounts, settings);
  const rates = falsePositiveRates(amounts, settings);
  return (
    <Card
      title="Looks at the results"
      description="Each look raises the chance of a false positive. The ledger shows by how much."
      actions={<TableFiles name="Looks" table={looksTable(looks, rates)} />}
    >
      <div className="grid min-w-0 gap-6 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          <p className="max-w-prose text-pretty text-sm">
            {sentence}
            {props.peekSafeHref === null ? null : (
              <>
                {" "}
                <TextLink href={props.peekSafeHref}>Read with sequential intervals</TextLink>, which are valid
                at every look.
              </>
            )}
          </p>
          <PlannedSample planned={planned} total={total} unit={unit} />
          {planned.sample === null ? null : (
            <HidingSwitch projectId={props.projectId} experimentId={props.experimentId} {...hiding} />
          )}
        </div>
        {rates.length > 1 ? <RateChart looks={looks} settings={settings} /> : null}
      </div>
      {looks.length > 0 ? <Ledger looks={looks} settings={settings} unit={unit} /> : null}
    </Card>
  );
}

function PlannedSample({ planned, total, unit }: Pick<PeekingProps, "planned" | "total" | "unit">) {
  if (planned.sample === null)
    return (
      <p className="text-muted text-sm">
        No sample size was planned. Plan one in the running time step of the setup.
      </p>
    );
  const left = planned.days_left;
  return (
    <div className="flex max-w-xl flex-col gap-1.5">
      <p className="text-sm">
        {planned.reached ? "Planned sample reached" : "Planned sample not reached yet"}
        <span className="tabular text-muted">
          {" "}
          · {formatCount(total)} of {unitCount(planned.sample, unit)}
          {!planned.reached && left !== null ? `, about ${plural(left, "day")} to go` : ""}
        </span>
      </p>
      <Progress value={total / planned.sample} label="Planned sample" />
    </div>
  );
}

/** The rate after each look, by the day of the look; several looks of a day count as its last. */
function RateChart({ looks, settings }: { looks: readonly Look[]; settings: Settings }) {
  const rates = falsePositiveRates(
    looks.map(({ total }) => total),
    settings,
  );
  const points = new Map<string, number>();
  for (const look of looks) points.set(look.at.slice(0, 10), rateAt(rates, look.total));
  if (points.size < 2) return null;
  return (
    <TimeChart
      title="Chance of a false positive so far"
      caption="If there were no effect: the chance that at least one look by that day would have called something significant."
      level={3}
      height={180}
      grouping="last"
      measure={{ unit: "share" }}
      series={[
        {
          key: "false alarm",
          name: "Chance of a false positive",
          colorIndex: 3,
          points: [...points].map(([at, value]) => ({ at, value })),
        },
      ]}
    />
  );
}

/** The chance once there were this many units: that of the last distinct look up to it. */
const rateAt = (rates: readonly { n: number; rate: number }[], total: number): number =>
  rates.findLast(({ n }) => n <= total)?.rate ?? 0;

function Ledger({ looks, settings, unit }: { looks: readonly Look[]; settings: Settings; unit: string }) {
  const rates = falsePositiveRates(
    looks.map(({ total }) => total),
    settings,
  );
  const latest = looks.slice(-SHOWN).reverse();
  return (
    <details className="mt-4">
      <summary className="cursor-pointer rounded-xs text-accent-text text-sm">
        {looks.length === 1
          ? "1 look"
          : `Latest ${Math.min(SHOWN, looks.length)} of ${formatCount(looks.length)} looks`}
      </summary>
      <div className="mt-2">
        <Table caption="Latest looks" framed={false} minWidth="sm:min-w-0">
          <TableHead>
            <Th>When</Th>
            <Th>Who</Th>
            <Th align="right">{unitWord(unit)} by then</Th>
            <Th align="right">False positive by then</Th>
          </TableHead>
          <TableBody>
            {latest.map((look) => (
              <Tr key={look.id}>
                <Td place="title">
                  <RelativeTime date={look.at} />
                </Td>
                <Td label="Who">{look.user?.first_name || look.user?.email || "An API key"}</Td>
                <Td label="By then" align="right" className="tabular">
                  {formatCount(look.total)}
                </Td>
                <Td label="False positive" align="right" className="tabular text-muted">
                  {formatPercent(rateAt(rates, look.total))}
                </Td>
              </Tr>
            ))}
          </TableBody>
        </Table>
      </div>
    </details>
  );
}

const looksTable = (looks: readonly Look[], rates: readonly { n: number; rate: number }[]) => ({
  columns: ["When", "Who", "Units by then", "Chance of a false alarm by then"].map((label) => ({ label })),
  rows: looks.map((look) => [
    look.at,
    look.user?.email ?? look.user?.first_name ?? null,
    look.total,
    rateAt(rates, look.total),
  ]),
});
