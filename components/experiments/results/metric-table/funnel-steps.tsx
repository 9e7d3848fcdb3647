import { peopleHref } from "#components/experiments/results/links.ts";
import type { MetricResult, Row, Variant } from "#components/experiments/results/model.ts";
import { stepNames } from "#components/metrics/metric-words.ts";
import { Card } from "#components/ui/display/card.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/display/table.tsx";
import { Link } from "#components/ui/link.tsx";
import { variantColor } from "#components/ui/tone.ts";
import { unitWord } from "#lib/experiments/results/unit-words.ts";
import { formatCount, formatPercent } from "#lib/platform/format.ts";
import { TableFiles } from "./table-files.tsx";

type FunnelStepsProps = {
  projectId: string;
  experimentId: number;
  metrics: readonly MetricResult[];
  variants: readonly Variant[];
  unit: string;
};

const rowsOf = ({ baseline, variants }: MetricResult): Row[] => [
  ...(baseline ? [baseline] : []),
  ...variants,
];

const stepsIn = (metric: MetricResult): number =>
  Math.max(0, ...rowsOf(metric).map(({ step_counts }) => step_counts?.length ?? 0));

/** Where people leave a funnel of several steps, by variant; each count opens its people. */
export function FunnelSteps({ metrics, ...shared }: FunnelStepsProps) {
  const stepped = metrics.filter((metric) => stepsIn(metric) > 1);
  return stepped.map((metric) => <Steps key={`${metric.role} ${metric.uuid}`} metric={metric} {...shared} />);
}

function Steps({
  metric,
  variants,
  unit,
  ...ids
}: Omit<FunnelStepsProps, "metrics"> & { metric: MetricResult }) {
  const steps = Array.from({ length: stepsIn(metric) }, (_, i) => i + 1);
  const rows = rowsOf(metric);
  const names = stepNames(metric.metric);
  const nameOf = (step: number) => names[step - 1] ?? `Step ${step}`;
  const table = {
    columns: ["Variant", "Exposed", ...steps.map(nameOf)].map((label) => ({ label })),
    rows: rows.map((row) => [
      row.key,
      row.number_of_samples,
      ...steps.map((step) => row.step_counts?.[step - 1] ?? null),
    ]),
  };
  return (
    <Card
      title={`Steps of ${metric.name}`}
      description={`How many ${unitWord(unit)} reached each step after exposure, how many of those who were at the step before, and their share of all.`}
      padded={false}
      actions={<TableFiles name={`Steps of ${metric.name}`} table={table} />}
    >
      <Table caption={`Steps of ${metric.name}`} framed={false} minWidth="sm:min-w-0">
        <TableHead>
          <Th>Variant</Th>
          <Th align="right">Exposed</Th>
          {steps.map((step) => (
            <Th key={step} align="right">
              <span className="break-words">{nameOf(step)}</span>
            </Th>
          ))}
        </TableHead>
        <TableBody>
          {rows.map((row) => (
            <Tr key={row.key}>
              <Td place="title">
                <span className="flex items-center gap-2">
                  <span
                    aria-hidden="true"
                    className="size-2.5 shrink-0 rounded-full"
                    style={{
                      backgroundColor: variantColor(
                        Math.max(
                          0,
                          variants.findIndex(({ key }) => key === row.key),
                        ),
                      ),
                    }}
                  />
                  <span className="font-medium">{row.key}</span>
                </span>
              </Td>
              <Td label="Exposed" align="right" className="tabular">
                {formatCount(row.number_of_samples)}
              </Td>
              {steps.map((step) => (
                <Td key={step} label={nameOf(step)} align="right" className="tabular">
                  <StepCount row={row} step={step} uuid={metric.uuid} {...ids} />
                </Td>
              ))}
            </Tr>
          ))}
        </TableBody>
      </Table>
    </Card>
  );
}

type StepCountProps = { projectId: string; experimentId: number; row: Row; step: number; uuid: string };

function StepCount({ projectId, experimentId, row, step, uuid }: StepCountProps) {
  const count = row.step_counts?.[step - 1] ?? 0;
  const before = step === 1 ? row.number_of_samples : (row.step_counts?.[step - 2] ?? 0);
  const shareOf = (all: number) => formatPercent(all > 0 ? count / all : 0);
  return (
    <>
      <Link
        href={peopleHref(projectId, experimentId, {
          kind: "step",
          step,
          variant: row.key,
          metric_uuid: uuid,
        })}
        className="inline-block min-w-6 rounded-xs leading-6 underline-offset-[3px] hover:text-accent-text hover:underline"
      >
        {formatCount(count)}
      </Link>
      <span className="block text-muted text-xs">
        {shareOf(before)}
        <span className="text-faint">
          {step === 1
            ? " of those exposed"
            : ` of step ${step - 1} · ${shareOf(row.number_of_samples)} of all`}
        </span>
      </span>
      {before > count ? (
        <span className="block text-faint text-xs">−{formatCount(before - count)} before this step</span>
      ) : null}
    </>
  );
}
