import type { ReactNode } from "react";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/display/table.tsx";

type Row = {
  sdk: string;
  version: string;
  /** What is to be said of the version. */
  note?: ReactNode;
  last_at: string;
};

type Column<R> = { label: string; align?: "right"; show: (row: R) => ReactNode };

/** SDKs by version, with figures of each and when it was last there. */
export function SdkTable<R extends Row>({
  caption,
  rows,
  columns,
  last,
}: {
  caption: string;
  rows: readonly R[];
  columns: readonly Column<R>[];
  /** What happened last. */
  last: string;
}) {
  return (
    <Table caption={caption}>
      <TableHead>
        <Th>SDK</Th>
        <Th>Version</Th>
        {columns.map(({ label, align }) => (
          <Th key={label} align={align}>
            {label}
          </Th>
        ))}
        <Th>{last}</Th>
      </TableHead>
      <TableBody>
        {rows.map((row) => (
          <Tr key={`${row.sdk} ${row.version}`}>
            <Td label="SDK" className="break-words">
              {row.sdk || "Not reported"}
            </Td>
            <Td label="Version">
              <span className="inline-flex flex-wrap items-center gap-1.5">
                <span className="tabular">{row.version || "–"}</span>
                {row.note}
              </span>
            </Td>
            {columns.map(({ label, align, show }) => (
              <Td key={label} label={label} align={align} className="tabular">
                {show(row)}
              </Td>
            ))}
            <Td label={last}>
              <RelativeTime date={row.last_at} className="whitespace-nowrap" />
            </Td>
          </Tr>
        ))}
      </TableBody>
    </Table>
  );
}
