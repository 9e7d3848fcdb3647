import type { Route } from "next";
import { SdkTable } from "#components/kit/sdk-table.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { SdkSummary } from "#lib/flags/sdk_instances/schema.ts";
import { formatCount } from "#lib/platform/format.ts";

type Program = { sdk: string; sdk_version: string };

const rowsOf = <P extends Program & { last_seen_at: string }>(programs: readonly P[]) =>
  programs.map((each) => ({ ...each, version: each.sdk_version, last_at: each.last_seen_at }));

/** SDKs that evaluate flags themselves, by version; each figure opens its instances. */
export function EvaluatingSdks({
  sdks,
  hrefFor,
}: {
  sdks: SdkSummary["instances"];
  hrefFor: (program: Program) => Route;
}) {
  return (
    <SdkTable
      caption="SDKs by version"
      rows={rowsOf(sdks)}
      last="Last request"
      columns={[
        {
          label: "Instances",
          align: "right",
          show: (each) => <TextLink href={hrefFor(each)}>{formatCount(each.instances)}</TextLink>,
        },
        { label: "Addresses", align: "right", show: ({ addresses }) => formatCount(addresses) },
      ]}
    />
  );
}

/** Programs that have flags evaluated by the service or a relay. */
export function RemoteCallers({ callers }: { callers: SdkSummary["callers"] }) {
  return (
    <SdkTable
      caption="Programs that have flags evaluated"
      rows={rowsOf(callers)}
      last="Last request"
      columns={[
        { label: "Requests", align: "right", show: ({ requests }) => formatCount(requests) },
        {
          label: "Since",
          show: ({ first_seen_at }) => <RelativeTime date={first_seen_at} className="whitespace-nowrap" />,
        },
      ]}
    />
  );
}
