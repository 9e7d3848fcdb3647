"use client";

import { Download } from "lucide-react";
import { Button } from "#components/ui/button.tsx";
import { saveFile } from "#components/ui/save-file.ts";
import type { Crosstab } from "#lib/surveys/results/readings-schema.ts";
import { crosstabCsv } from "./crosstab-shares.ts";

/** Downloads a table as CSV, with all shares. */
export function CrosstabExport({ crosstab }: { crosstab: Crosstab }) {
  const save = () =>
    saveFile("cross-tabulation.csv", new Blob([crosstabCsv(crosstab)], { type: "text/csv;charset=utf-8" }));
  return (
    <Button size="sm" icon={Download} className="print:hidden" onClick={save}>
      CSV
      <span className="sr-only"> of the cross-tabulation</span>
    </Button>
  );
}
