"use client";

import { BookOpen, Download, FileBraces, FileSpreadsheet, Printer } from "lucide-react";
import { Button } from "#components/ui/button.tsx";
import { Menu, MenuItem } from "#components/ui/overlay/menu.tsx";
import { download } from "#components/ui/save-file.ts";
import { exportHref } from "./results-query.ts";

type Props = {
  projectId: string;
  surveyId: string;
  /** Filters, and what the rows are of. */
  params: Record<string, string>;
  /** What is exported, as a person would say it: "1,204 responses". */
  what: string;
  /** Offers to print the page too. */
  print?: boolean;
};

/** Downloads of exactly the rows shown, and printing. */
export function ExportMenu({ projectId, surveyId, params, what, print }: Props) {
  const save = (format: Parameters<typeof exportHref>[3]) => {
    download(exportHref(projectId, surveyId, params, format));
  };
  return (
    <Menu
      trigger={
        <Button size={print ? "md" : "sm"} icon={Download} className="print:hidden">
          Export
        </Button>
      }
    >
      <MenuItem icon={FileSpreadsheet} description={what} onSelect={() => save("csv")}>
        CSV
      </MenuItem>
      <MenuItem
        icon={FileSpreadsheet}
        description="Answers as codes, one column for each choice"
        onSelect={() => save("coded_csv")}
      >
        CSV for analysis
      </MenuItem>
      <MenuItem
        icon={BookOpen}
        description="What its columns and codes mean"
        onSelect={() => save("codebook")}
      >
        Codebook
      </MenuItem>
      <MenuItem icon={FileBraces} description={what} onSelect={() => save("json")}>
        JSON
      </MenuItem>
      {print ? (
        <MenuItem icon={Printer} description="The page as it is filtered" onSelect={() => window.print()}>
          Print or save as PDF
        </MenuItem>
      ) : null}
    </Menu>
  );
}
