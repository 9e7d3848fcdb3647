"use client";

import { FileCheck2, Printer } from "lucide-react";
import { Button } from "#components/ui/button.tsx";
import { buttonClass } from "#components/ui/button-class.ts";
import { fileName } from "#components/ui/save-file.ts";
import { CheckReport } from "./check-report.tsx";

type Props = {
  projectId: string;
  experimentId: number;
  name: string;
  /** Whether the key may write the seal into the experiment's history. */
  mayRecord: boolean;
};

const TITLE = "One file that opens offline, recomputes every number and checks that they still match";

/** The sealed report as a file, and the page on paper. */
export function ReportActions({ projectId, experimentId, name, mayRecord }: Props) {
  return (
    <div className="flex flex-wrap gap-2 print:hidden">
      <CheckReport projectId={projectId} />
      <Button size="sm" icon={Printer} onClick={() => window.print()}>
        Print
      </Button>
      {mayRecord ? (
        <form method="post" action={`/project/${projectId}/experiments/${experimentId}/report`}>
          <Button size="sm" type="submit" icon={FileCheck2} title={TITLE}>
            Sealed report
          </Button>
        </form>
      ) : (
        <a
          href={`/bff/api/projects/${projectId}/experiments/${experimentId}/report/`}
          download={`${fileName(name)}-report.html`}
          title={TITLE}
          className={buttonClass("secondary", "sm")}
        >
          <FileCheck2 aria-hidden="true" />
          Sealed report
        </a>
      )}
    </div>
  );
}
