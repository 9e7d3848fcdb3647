"use client";

import { CircleCheck, CircleX, FileSearch } from "lucide-react";
import { useState } from "react";
import { callFromBrowser } from "#components/kit/use-endpoint.ts";
import { Button } from "#components/ui/button.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { Spinner } from "#components/ui/display/spinner.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Dialog } from "#components/ui/overlay/dialog.tsx";
import type { experimentReportContract } from "#lib/experiments/report/contract.ts";

type Point = { holds: boolean; text: string };

type Found = { name: string; made_at: string; points: Point[] };

/** Reads a report's file: what it says of itself is recomputed here, who made it is asked of the service. */
async function checkFile(projectId: string, file: File): Promise<Found | null> {
  const [{ reportIn, shownDifference }, { verify }, { digestOf }] = await Promise.all([
    import("#lib/experiments/report/shown.ts"),
    import("#lib/experiments/report/verify.ts"),
    import("#lib/experiments/report/seal.ts"),
  ]);
  const page = new DOMParser().parseFromString(await file.text(), "text/html");
  const report = reportIn(page);
  if (!report) return null;
  const { experiment } = report.definitions;
  const found = await callFromBrowser<typeof experimentReportContract.check_report>(
    "/api/projects/{project_id}/experiments/check_report/",
    {
      params: { project_id: projectId },
      body: {
        experiment_id: experiment.id,
        digest: digestOf(report),
        signature: report.seals.signature ?? "",
        seal: report.seals.all,
      },
    },
  );
  const verdict = verify(report);
  const shown = page.getElementById("report");
  const altered = shown && verdict.verified ? shownDifference(shown, report) : null;
  const wrong = verdict.verified ? altered : verdict.difference;
  return {
    name: experiment.name,
    made_at: report.made_at,
    points: [
      found.signed
        ? { holds: true, text: "Made by this Switchyard for this project, and not changed since." }
        : { holds: false, text: "Not signed by this Switchyard for this project, or changed afterwards." },
      wrong
        ? {
            holds: false,
            text: `The numbers do not follow from the data. First difference: ${wrong.where}: ${wrong.stated} instead of ${wrong.found}.`,
          }
        : {
            holds: true,
            text: "Every number follows from the data in the file, and is what the file shows.",
          },
      ...(found.signed
        ? [
            found.recorded_at
              ? { holds: true, text: "Its seal is in the history of the experiment." }
              : { holds: true, text: "Its seal was not recorded in the history of the experiment." },
          ]
        : []),
    ],
  };
}

type Result =
  | { state: "none" | "checking" }
  | { state: "found"; found: Found }
  | { state: "failed"; why: string };

/** Checks a sealed report that somebody got from anywhere. */
export function CheckReport({ projectId }: { projectId: string }) {
  const [open, setOpen] = useState(false);
  const [result, setResult] = useState<Result>({ state: "none" });
  async function check(file: File | undefined) {
    if (!file) return;
    setResult({ state: "checking" });
    try {
      const found = await checkFile(projectId, file);
      setResult(
        found
          ? { state: "found", found }
          : { state: "failed", why: `${file.name} is not a sealed experiment report.` },
      );
    } catch (error) {
      const why = error instanceof Error ? error.message : "The file could not be checked.";
      setResult({ state: "failed", why });
    }
  }
  return (
    <>
      <Button
        size="sm"
        variant="ghost"
        icon={FileSearch}
        onClick={() => {
          setResult({ state: "none" });
          setOpen(true);
        }}
      >
        Check a report…
      </Button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title="Check a sealed report"
        description="Whether it was made here, is unchanged, and its numbers follow from its data. The file does not leave your browser."
        footer={<Button onClick={() => setOpen(false)}>Close</Button>}
      >
        <div className="flex flex-col gap-4">
          <Field label="Report file">
            <input
              type="file"
              accept=".html,text/html"
              aria-label="Report file"
              className="w-full rounded-md border bg-surface text-sm file:mr-3 file:border-0 file:border-r file:bg-sunken file:px-3 file:py-2 file:text-ink"
              onChange={(event) => void check(event.target.files?.[0])}
            />
          </Field>
          <div aria-live="polite">
            {result.state === "checking" ? <Spinner /> : null}
            {result.state === "failed" ? <Callout tone="danger">{result.why}</Callout> : null}
            {result.state === "found" ? <Outcome {...result.found} /> : null}
          </div>
        </div>
      </Dialog>
    </>
  );
}

function Outcome({ name, made_at, points }: Found) {
  return (
    <div className="flex flex-col gap-2.5 rounded-lg border bg-sunken px-3.5 py-3 text-sm">
      <p>
        <span className="font-medium">{name}</span>
        <span className="text-muted">
          , created <RelativeTime date={made_at} />
        </span>
      </p>
      <ul className="flex flex-col gap-1.5">
        {points.map(({ holds, text }) => {
          const Icon = holds ? CircleCheck : CircleX;
          return (
            <li key={text} className="flex gap-2">
              <Icon
                role="img"
                aria-label={holds ? "Right" : "Wrong"}
                className={`mt-0.5 size-4 shrink-0 ${holds ? "text-success-text" : "text-danger-text"}`}
              />
              <span className="min-w-0 break-words">{text}</span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
