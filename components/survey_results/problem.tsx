import { Callout } from "#components/ui/callout.tsx";
import { ReadingProgress } from "./reading_progress.tsx";

/** What the service says where it gives no figures. */
export function Problem({ code, detail }: { code: string; detail: string }) {
  if (code === "reading" || code === "recomputing") return <ReadingProgress key={detail} instead={detail} />;
  const slow = code === "timeout";
  return (
    <Callout
      tone={slow ? "warning" : "danger"}
      title={slow ? "That takes too long to count" : "The figures could not be read"}
      live
    >
      {detail}
      {slow ? " Choose fewer days, or drop a condition." : ""}
    </Callout>
  );
}
