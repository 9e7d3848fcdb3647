import { Callout } from "#components/ui/callout.tsx";

/** What the service says where it gives no figures. */
export function Problem({ code, detail }: { code: string; detail: string }) {
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
