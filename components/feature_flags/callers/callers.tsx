import type { Route } from "next";
import { responseInWords } from "#components/feature_flags/detail/usage-chart.tsx";
import { DeletedNote } from "#components/kit/deleted-note.tsx";
import { SdkTable } from "#components/kit/sdk-table.tsx";
import { Badge } from "#components/ui/display/badge.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/display/table.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { FlagCallers } from "#lib/flags/feature_flags/usage/usage-contract.ts";
import { formatCount, plural } from "#lib/platform/format.ts";

/** Which of the calls: of one value, of one SDK, or all. */
export type CallChoice = { response?: string; lib?: string; lib_version?: string };

type Props = {
  callers: FlagCallers;
  /** Address of the list of those who made some of the calls. */
  hrefFor: (choice: CallChoice) => Route;
};

/** How many people got each value, and which SDKs asked for it; each figure opens its people. */
export function Callers({ callers, hrefFor }: Props) {
  const { responses, sdks, calls, people, deleted_before } = callers;
  if (calls === 0)
    return (
      <>
        <p className="text-muted text-sm">No calls in these days.</p>
        <DeletedNote before={deleted_before} />
      </>
    );
  return (
    <div className="flex flex-col gap-5">
      <Table caption="People per value">
        <TableHead>
          <Th>Value</Th>
          <Th align="right">People</Th>
          <Th align="right">Calls</Th>
          <Th>Last call</Th>
        </TableHead>
        <TableBody>
          {responses.map((each) => (
            <Tr key={each.response}>
              <Td label="Value">
                <Badge>{responseInWords(each.response)}</Badge>
              </Td>
              <Td label="People" align="right">
                <PeopleLink count={each.people} href={hrefFor({ response: each.response })} />
              </Td>
              <Td label="Calls" align="right" className="tabular">
                {formatCount(each.calls)}
              </Td>
              <Td label="Last call">
                <RelativeTime date={each.last_called_at} className="whitespace-nowrap" />
              </Td>
            </Tr>
          ))}
          <Tr>
            <Td label="Value">
              <strong className="font-medium">Any</strong>
            </Td>
            <Td label="People" align="right">
              <PeopleLink count={people} href={hrefFor({})} />
            </Td>
            <Td label="Calls" align="right" className="tabular">
              {formatCount(calls)}
            </Td>
            <Td label="Last call">–</Td>
          </Tr>
        </TableBody>
      </Table>
      <SdkTable
        caption="SDKs that call"
        rows={sdks.map((each) => ({
          ...each,
          sdk: each.lib,
          version: each.lib_version,
          note: <SdkState state={each.state} />,
          last_at: each.last_called_at,
        }))}
        last="Last call"
        columns={[
          {
            label: "People",
            align: "right",
            show: ({ people, lib, lib_version }) => (
              <PeopleLink count={people} href={hrefFor({ lib, lib_version })} />
            ),
          },
          { label: "Calls", align: "right", show: ({ calls }) => formatCount(calls) },
        ]}
      />
      <DeletedNote before={deleted_before} />
    </div>
  );
}

function PeopleLink({ count, href }: { count: number; href: Route }) {
  return (
    <TextLink href={href} className="tabular">
      {formatCount(count)}
      <span className="sr-only"> {count === 1 ? "person" : "people"}</span>
    </TextLink>
  );
}

function SdkState({ state }: { state: FlagCallers["sdks"][number]["state"] }) {
  if (state === "current") return null;
  return state === "older" ? (
    <Badge tone="warning" title="A newer version of this SDK calls as well">
      older version
    </Badge>
  ) : (
    <Badge title="Not one of PostHog’s SDKs, or none was reported">unknown SDK</Badge>
  );
}

/** What a list of callers was narrowed to, in words. */
export function choiceInWords({ response, lib, lib_version }: CallChoice): string {
  if (response !== undefined) return `People who got ${responseInWords(response)}`;
  if (lib === undefined) return "People who called";
  const name = lib || "an SDK that was not reported";
  return `People called for by ${lib_version ? `${name} ${lib_version}` : name}`;
}

/** "12 people made 30 calls". */
export const callersInWords = ({ people, calls }: { people: number; calls: number }) =>
  `${plural(people, "person", "people")} made ${plural(calls, "call")}`;
