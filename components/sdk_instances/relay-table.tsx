import type { Route } from "next";
import { Badge } from "#components/ui/display/badge.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/display/table.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { SdkRelay } from "#lib/flags/sdk_instances/schema.ts";
import { formatCount } from "#lib/platform/format.ts";
import { relayInWords } from "./receipt-words.ts";

type Props = { relays: readonly SdkRelay[]; hrefFor: (relay: SdkRelay) => Route };

/** Relays: what each serves, and how many instances ask it. */
export function RelayTable({ relays, hrefFor }: Props) {
  return (
    <Table caption="Relays">
      <TableHead>
        <Th>Relay</Th>
        <Th>State</Th>
        <Th align="right">Definitions</Th>
        <Th align="right">Instances</Th>
        <Th>Release</Th>
        <Th>Last report</Th>
      </TableHead>
      <TableBody>
        {relays.map((relay) => {
          const { label, tone } = relayInWords(relay);
          return (
            <Tr key={relay.id}>
              <Td label="Relay" className="break-all">
                {relay.name}
              </Td>
              <Td label="State">
                <Badge tone={tone}>{label}</Badge>
                {relay.problem === null ? null : <p className="pt-1 text-muted text-xs">{relay.problem}</p>}
              </Td>
              <Td label="Definitions" align="right" className="tabular">
                {relay.definitions_version === null ? "–" : formatCount(relay.definitions_version)}
              </Td>
              <Td label="Instances" align="right" className="tabular">
                <TextLink href={hrefFor(relay)}>{formatCount(relay.instances)}</TextLink>
              </Td>
              <Td label="Release" className="tabular">
                {relay.version}
              </Td>
              <Td label="Last report">
                <RelativeTime date={relay.reported_at} className="whitespace-nowrap" />
              </Td>
            </Tr>
          );
        })}
      </TableBody>
    </Table>
  );
}
