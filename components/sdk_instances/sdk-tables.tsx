import type { Route } from "next";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/display/table.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { SdkSummary } from "#lib/flags/sdk_instances/schema.ts";
import { formatCount } from "#lib/platform/format.ts";

type Program = { sdk: string; sdk_version: string };

function Name({ sdk, sdk_version }: Program) {
  return (
    <>
      <Td label="SDK" className="break-words">
        {sdk || "Not reported"}
      </Td>
      <Td label="Version" className="tabular">
        {sdk_version || "–"}
      </Td>
    </>
  );
}

const keyOf = ({ sdk, sdk_version }: Program) => `${sdk} ${sdk_version}`;

/** SDKs that evaluate flags themselves, by version; each figure opens its instances. */
export function EvaluatingSdks({
  sdks,
  hrefFor,
}: {
  sdks: SdkSummary["instances"];
  hrefFor: (program: Program) => Route;
}) {
  return (
    <Table caption="SDKs by version">
      <TableHead>
        <Th>SDK</Th>
        <Th>Version</Th>
        <Th align="right">Instances</Th>
        <Th align="right">Addresses</Th>
        <Th>Last request</Th>
      </TableHead>
      <TableBody>
        {sdks.map((each) => (
          <Tr key={keyOf(each)}>
            <Name {...each} />
            <Td label="Instances" align="right" className="tabular">
              <TextLink href={hrefFor(each)}>{formatCount(each.instances)}</TextLink>
            </Td>
            <Td label="Addresses" align="right" className="tabular">
              {formatCount(each.addresses)}
            </Td>
            <Td label="Last request">
              <RelativeTime date={each.last_seen_at} className="whitespace-nowrap" />
            </Td>
          </Tr>
        ))}
      </TableBody>
    </Table>
  );
}

/** Programs that have flags evaluated by the service. */
export function RemoteCallers({ callers }: { callers: SdkSummary["callers"] }) {
  return (
    <Table caption="Programs that have flags evaluated">
      <TableHead>
        <Th>SDK</Th>
        <Th>Version</Th>
        <Th align="right">Requests</Th>
        <Th>Since</Th>
        <Th>Last request</Th>
      </TableHead>
      <TableBody>
        {callers.map((each) => (
          <Tr key={keyOf(each)}>
            <Name {...each} />
            <Td label="Requests" align="right" className="tabular">
              {formatCount(each.requests)}
            </Td>
            <Td label="Since">
              <RelativeTime date={each.first_seen_at} className="whitespace-nowrap" />
            </Td>
            <Td label="Last request">
              <RelativeTime date={each.last_seen_at} className="whitespace-nowrap" />
            </Td>
          </Tr>
        ))}
      </TableBody>
    </Table>
  );
}
