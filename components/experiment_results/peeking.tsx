import type { Route } from "next";
import { TimeChart } from "#components/charts/time_chart.tsx";
import { Card } from "#components/ui/card.tsx";
import { Progress } from "#components/ui/progress.tsx";
import { RelativeTime } from "#components/ui/relative-time.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/table.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { Look } from "#lib/experiment_results/result_schema.ts";
import { falsePositiveRates } from "#lib/statistics/peeking.ts";
import type { Settings } from "#lib/statistics/types.ts";
import { peekingOf } from "#lib/statistics/words.ts";
import { HidingSwitch } from "./hiding_switch.tsx";
import { unitWord } from "./model.ts";
import type { ResultActions } from "./result_actions.ts";
import { TableFiles } from "./table_files.tsx";

const SHOWN = 8;

type PeekingProps = {
  projectId: string;
  experimentId: number;
  looks: readonly Look[];
  settings: Settings;
  unit: string;
  planned: { sample: number | null; reached: boolean | null; days_left: number | null };
  total: number;
  /** Where the same results stand with sequential intervals; null where these are. */
  peekSafeHref: Route | null;
  hiding: { isOn: boolean; mayChange: boolean; hide: ResultActions["hide"] };
};

/** Who looked when, and what that did to the chance of a false alarm. */
export function Peeking(props: PeekingProps) {
  const { looks, settings, planned, total, unit, hiding } = props;
  const amounts = looks.map((look) => look.total);
  const { sentence } = peekingOf(amounts, settings);
  const rates = falsePositiveRates(amounts, settings);
  return (
    <Card
      title="Looks at the results"
      description="Each look is a chance to be fooled by luck. The ledger says how much."
      actions={<TableFiles name="Looks" table={looksTable(looks, rates)} />}
    >
      <div className="grid min-w-0 gap-6 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          <p className="max-w-prose text-pretty text-sm">
            {sentence}
            {props.peekSafeHref === null ? null : (
              <>
                {" "}
                <TextLink href={props.peekSafeHref}>Read with sequential intervals</TextLink>, which hold at
                every look.
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
        No sample was planned. The running-time calculator on the setup page gives one.
      </p>
    );
  const left = planned.days_left;
  return (
    <div className="flex max-w-xl flex-col gap-1.5">
      <p className="text-sm">
        {planned.reached ? "Planned sample reached" : "Planned sample not reached yet"}
        <span className="tabular text-muted">
          {" "}
          · {total.toLocaleString("en")} of {planned.sample.toLocaleString("en")} {unitWord(unit)}
          {!planned.reached && left !== null ? `, about ${left} ${left === 1 ? "day" : "days"} to go` : ""}
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
      title="Chance of a false alarm so far"
      caption="If nothing differed at all: how likely at least one look until that day would have called something significant."
      level={3}
      height={180}
      grouping="last"
      measure={{ unit: "share" }}
      series={[
        {
          key: "false alarm",
          name: "Chance of a false alarm",
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
          ? "The look"
          : `The latest ${Math.min(SHOWN, looks.length)} of ${looks.length} looks`}
      </summary>
      <div className="mt-2">
        <Table caption="Latest looks" framed={false} minWidth="sm:min-w-0">
          <TableHead>
            <Th>When</Th>
            <Th>Who</Th>
            <Th align="right">{unitWord(unit)} by then</Th>
            <Th align="right">False alarm by then</Th>
          </TableHead>
          <TableBody>
            {latest.map((look) => (
              <Tr key={look.id}>
                <Td place="title">
                  <RelativeTime date={look.at} />
                </Td>
                <Td label="Who">{look.user?.first_name || look.user?.email || "a key without a person"}</Td>
                <Td label="By then" align="right" className="tabular">
                  {look.total.toLocaleString("en")}
                </Td>
                <Td label="False alarm" align="right" className="tabular text-muted">
                  {(100 * rateAt(rates, look.total)).toFixed(1)} %
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
