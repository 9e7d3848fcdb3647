"use client";

import { FileCheck2, Printer } from "lucide-react";
import { fileName } from "#components/charts/save_file.ts";
import { Button, buttonClass } from "#components/ui/button.tsx";

/** The sealed report as a file, and the page on paper. */
export function ReportActions(props: { projectId: string; experimentId: number; name: string }) {
  const { projectId, experimentId, name } = props;
  return (
    <div className="flex flex-wrap gap-2 print:hidden">
      <Button size="sm" icon={Printer} onClick={() => window.print()}>
        Print
      </Button>
      <a
        href={`/bff/api/projects/${projectId}/experiments/${experimentId}/report/`}
        download={`${fileName(name)}-report.html`}
        title="One file that opens offline, recomputes every number and says whether it still agrees"
        className={buttonClass("secondary", "sm")}
      >
        <FileCheck2 aria-hidden="true" />
        Sealed report
      </a>
    </div>
  );
}
