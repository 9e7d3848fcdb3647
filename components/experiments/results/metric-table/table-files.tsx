"use client";

import { Braces, Download, FileSpreadsheet } from "lucide-react";
import { csvOf, type TableData } from "#components/charts/csv.ts";
import { IconButton } from "#components/ui/icon-button.tsx";
import { Menu, MenuItem } from "#components/ui/overlay/menu.tsx";
import { fileName, saveFile } from "#components/ui/save-file.ts";
import { toRecords } from "./files.ts";

/** A table's downloads: every figure in full precision. */
export function TableFiles({ name, table }: { name: string; table: TableData }) {
  const file = fileName(name);
  return (
    <div className="print:hidden">
      <Menu trigger={<IconButton icon={Download} size="sm" label={`Download ${name}`} />}>
        <MenuItem
          icon={FileSpreadsheet}
          onSelect={() => saveFile(`${file}.csv`, new Blob([csvOf(table)], { type: "text/csv" }))}
        >
          Table (CSV)
        </MenuItem>
        <MenuItem
          icon={Braces}
          onSelect={() =>
            saveFile(
              `${file}.json`,
              new Blob([JSON.stringify(toRecords(table), null, 2)], { type: "application/json" }),
            )
          }
        >
          Table (JSON)
        </MenuItem>
      </Menu>
    </div>
  );
}
