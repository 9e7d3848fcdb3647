import { Callout } from "#components/ui/display/callout.tsx";
import { ReadingProgress } from "./reading-progress.tsx";

/** The error of the API when there are no figures. */
export function Problem({ code, detail }: { code: string; detail: string }) {
  if (code === "reading" || code === "recomputing") return <ReadingProgress key={detail} instead={detail} />;
  const slow = code === "timeout";
  return (
    <Callout
      tone={slow ? "warning" : "danger"}
      title={slow ? "Counting takes too long" : "Could not load the figures"}
      live
    >
      {detail}
      {slow ? " Choose fewer days or remove a condition." : ""}
    </Callout>
  );
}
