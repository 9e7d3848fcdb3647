"use client";

import { TableFiles } from "#components/experiments/results/metric-table/table-files.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/display/table.tsx";
import { plainNumber, pValueText } from "#lib/engines/statistics/numbers.ts";
import { unitWord } from "#lib/experiments/results/unit-words.ts";
import { exactTime, formatCount } from "#lib/platform/format.ts";
import type { Results } from "./model.ts";

type Phase = Results["health"]["phases"][number];

/** One row a variant and phase, for files. */
const tableOf = (phases: readonly Phase[]) => ({
  columns: ["From", "To", "Variant", "Share in percent", "First exposed", "Expected", "p of the phase"].map(
    (label) => ({ label }),
  ),
  rows: phases.flatMap((phase) =>
    Object.entries(phase.shares).map(([key, share]) => [
      phase.from,
      phase.to,
      key,
      share,
      phase.exposures[key] ?? 0,
      phase.expected?.[key] ?? null,
      phase.p_value,
    ]),
  ),
});

/** The splits in force over time, each with the units first exposed to it; empty if there was only one. */
export function SplitPhases({ phases, unit }: { phases: readonly Phase[]; unit: string }) {
  if (phases.length < 2) return null;
  return (
    <section aria-labelledby="split-phases" className="mt-6 flex min-w-0 flex-col gap-1">
      <div className="flex items-start justify-between gap-3">
        <div>
          <h3 id="split-phases" className="font-medium text-sm">
            Splits over time
          </h3>
          <p className="text-pretty text-muted text-xs">
            The split was changed while the experiment ran. The check compares {unitWord(unit)} with the
            shares in force when they were first exposed.
          </p>
        </div>
        <TableFiles name="Splits over time" table={tableOf(phases)} />
      </div>
      <Table caption="Splits over time" framed={false} minWidth="sm:min-w-0">
        <TableHead>
          <Th>In force</Th>
          <Th>Split</Th>
          <Th>First exposed</Th>
          <Th align="right">p</Th>
        </TableHead>
        <TableBody>
          {phases.map((phase) => (
            <Tr key={phase.from}>
              <Td label="In force" className="text-xs">
                <Moment word="From" date={phase.from} />
                {phase.to ? <Moment word="to" date={phase.to} /> : <span className="block">until now</span>}
              </Td>
              <Td label="Split" className="tabular text-xs">
                <Values of={phase.shares} text={(share) => `${plainNumber(share)}%`} />
              </Td>
              <Td label="First exposed" className="tabular text-xs">
                <Values
                  of={Object.fromEntries(
                    Object.keys(phase.shares).map((key) => [key, phase.exposures[key] ?? 0]),
                  )}
                  text={formatCount}
                />
              </Td>
              <Td label="p" align="right" className="tabular text-xs">
                {phase.p_value === null ? (
                  <span className="text-faint" title="Too few exposures to check this split">
                    –
                  </span>
                ) : (
                  pValueText(phase.p_value)
                )}
              </Td>
            </Tr>
          ))}
        </TableBody>
      </Table>
    </section>
  );
}

const Moment = ({ word, date }: { word: string; date: string }) => (
  <span className="block">
    {word} <time dateTime={date}>{exactTime(date, false)}</time>
  </span>
);

const Values = ({ of, text }: { of: Readonly<Record<string, number>>; text: (value: number) => string }) => (
  <ul>
    {Object.entries(of).map(([key, value]) => (
      <li key={key}>
        <span className="text-muted">{key}</span> {text(value)}
      </li>
    ))}
  </ul>
);
