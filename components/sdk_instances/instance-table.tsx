import { Badge } from "#components/ui/display/badge.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/display/table.tsx";
import type { SdkInstance } from "#lib/flags/sdk_instances/schema.ts";
import { formatCount, formatDuration } from "#lib/platform/format.ts";
import { STATE_WORDS } from "./receipt-words.ts";

type Props = {
  instances: readonly SdkInstance[];
  /** Whether versions are those of a flag, or of all definitions. */
  ofFlag: boolean;
  /** Whether to show which relay each asks. */
  withRelays: boolean;
};

const pollsInWords = ({ via, poll_interval_ms }: SdkInstance) => {
  const every = poll_interval_ms === null ? "" : `every ${formatDuration(poll_interval_ms / 1_000)}`;
  return via === "stream" ? `Stream${every ? `, polls ${every}` : ""}` : every ? `Polls ${every}` : "Polls";
};

/** Instances of SDKs: what each has, from where it calls and when it was last there. */
export function InstanceTable({ instances, ofFlag, withRelays }: Props) {
  return (
    <Table caption="SDK instances">
      <TableHead>
        <Th>Instance</Th>
        <Th>SDK</Th>
        <Th>Address</Th>
        {withRelays ? <Th>Relay</Th> : null}
        <Th>State</Th>
        <Th align="right">{ofFlag ? "Flag version" : "Definitions"}</Th>
        <Th>Asks</Th>
        <Th>Last request</Th>
      </TableHead>
      <TableBody>
        {instances.map((each) => {
          const version = ofFlag ? each.flag_version : each.definitions_version;
          const { label, tone } = STATE_WORDS[each.state];
          return (
            <Tr key={each.id}>
              <Td label="Instance" className="font-mono text-xs">
                {each.id}
              </Td>
              <Td label="SDK">
                <span className="break-words">{each.sdk || "Not reported"}</span>{" "}
                <span className="tabular text-muted">{each.sdk_version}</span>
              </Td>
              <Td label="Address" className="tabular break-all">
                {each.address ?? "–"}
              </Td>
              {withRelays ? (
                <Td label="Relay" className="break-all">
                  {each.relay ? each.relay.name || "Forgotten" : "–"}
                </Td>
              ) : null}
              <Td label="State">
                <Badge tone={tone}>{label}</Badge>
              </Td>
              <Td label={ofFlag ? "Flag version" : "Definitions"} align="right" className="tabular">
                {version === null ? "–" : formatCount(version)}
              </Td>
              <Td label="Asks">{each.sends_tags ? pollsInWords(each) : "Sends no ETag back"}</Td>
              <Td label="Last request">
                <RelativeTime date={each.last_seen_at} className="whitespace-nowrap" />
              </Td>
            </Tr>
          );
        })}
      </TableBody>
    </Table>
  );
}
