import { UsersRound } from "lucide-react";
import type { Route } from "next";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/display/table.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import { variantColor } from "#components/ui/tone.ts";
import { plainNumber } from "#lib/engines/statistics/numbers.ts";
import { MULTIPLE } from "#lib/engines/statistics/sample-ratio.ts";
import type { ExperimentUnit } from "#lib/experiments/results/result-schema.ts";
import type { Variant } from "./model.ts";

type PeopleListProps = {
  projectId: string;
  units: readonly ExperimentUnit[];
  variants: readonly Variant[];
  /** Column of each person's value; null where no metric was requested. */
  valueName: string | null;
  caption: string;
  /** What all rows add up to, those of other pages included; null where they do not add up. */
  sum: number | null;
};

const DECIMALS_MAX = 12;

/** Numbers below a millionth are written with an exponent. */
const decimalsOf = (value: number): number =>
  /e-/.test(String(value)) ? DECIMALS_MAX : (String(value).split(".")[1]?.length ?? 0);

/** Formats every digit, so that rows add up exactly; all with the same number of decimals. */
function exactly(units: readonly ExperimentUnit[], sum: number) {
  const shown = [sum, ...units.flatMap(({ value, before }) => [value ?? 0, before ?? 0])];
  const decimals = Math.min(DECIMALS_MAX, Math.max(...shown.map(decimalsOf)));
  return new Intl.NumberFormat("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/** The rows behind a figure. */
export function PeopleList({ projectId, units, variants, valueName, caption, sum }: PeopleListProps) {
  const exact = exactly(units, sum ?? 0);
  if (units.length === 0)
    return (
      <EmptyState icon={UsersRound} title="Nobody">
        The figure is 0, so there is nobody to list.
      </EmptyState>
    );
  return (
    <Table caption={caption}>
      <TableHead>
        <Th>Who</Th>
        <Th>Variant</Th>
        <Th>First exposed</Th>
        {valueName ? <Th align="right">{valueName}</Th> : null}
      </TableHead>
      <TableBody>
        {units.map((unit) => (
          <Tr key={unit.unit}>
            <Td place="title">
              <Who unit={unit} projectId={projectId} />
            </Td>
            <Td label="Variant">
              <span className="flex items-center gap-2">
                <span
                  aria-hidden="true"
                  className="size-2.5 shrink-0 rounded-full"
                  style={{ backgroundColor: variantColor(indexOfVariant(unit.variant, variants)) }}
                />
                {unit.variant === MULTIPLE ? "several" : unit.variant}
              </span>
            </Td>
            <Td label="First exposed">
              <RelativeTime date={unit.first_exposed_at} />
            </Td>
            {valueName ? (
              <Td label={valueName} align="right" className="tabular">
                {unit.value === null
                  ? "–"
                  : sum === null
                    ? plainNumber(unit.value)
                    : exact.format(unit.value)}
                {unit.before === null ? null : (
                  <span className="block text-faint text-xs">capped from {exact.format(unit.before)}</span>
                )}
              </Td>
            ) : null}
          </Tr>
        ))}
        {sum === null || !valueName ? null : (
          <Tr>
            <Td place="title" colSpan={3} className="font-medium">
              Total
            </Td>
            <Td label={valueName} align="right" className="tabular font-semibold">
              {exact.format(sum)}
            </Td>
          </Tr>
        )}
      </TableBody>
    </Table>
  );
}

const indexOfVariant = (key: string, variants: readonly Variant[]) => {
  const index = variants.findIndex((variant) => variant.key === key);
  return index < 0 ? variants.length : index;
};

function Who({ unit, projectId }: { unit: ExperimentUnit; projectId: string }) {
  if (!unit.person) return <span className="break-all">{unit.unit}</span>;
  return (
    <TextLink href={`/project/${projectId}/persons/${unit.person.id}` as Route} className="break-all">
      {unit.person.name || unit.person.distinct_ids[0] || unit.unit}
    </TextLink>
  );
}
