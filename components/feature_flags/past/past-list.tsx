import type { Route } from "next";
import { valueInWords } from "#components/conditions/outcome-words.ts";
import { Sentence } from "#components/conditions/sentence.tsx";
import { Badge, Status } from "#components/ui/display/badge.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/display/table.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { PastFlag } from "#lib/flags/feature_flags/past/past-contract.ts";
import { type Names, percentText, rolloutTokens, variantsOf } from "#lib/people/conditions/words.ts";

type Props = { projectId: string; flags: readonly PastFlag[]; names: Names; hasPerson: boolean };

/** The flags as they were, and what the person got from each. */
export function PastList({ projectId, flags, names, hasPerson }: Props) {
  return (
    <Table caption="Flags at that time" minWidth="sm:min-w-[46rem]">
      <TableHead>
        <Th>Flag</Th>
        <Th>Status</Th>
        <Th>Served</Th>
        {hasPerson ? (
          <>
            <Th>Value</Th>
            <Th>Reason</Th>
          </>
        ) : null}
      </TableHead>
      <TableBody>
        {flags.map((flag) => (
          <Tr key={flag.id}>
            <Td place="title" className="sm:max-w-[22rem]">
              <TextLink
                href={`/project/${projectId}/feature_flags/${flag.id}` as Route}
                className="break-words font-medium"
              >
                {flag.key}
              </TextLink>
              {flag.deleted_since ? <Badge>Deleted since</Badge> : null}
              {flag.name ? <p className="text-muted text-xs">{flag.name}</p> : null}
            </Td>
            <Td label="Status">
              <Status status={flag.active ? "active" : "inactive"}>{flag.active ? "On" : "Off"}</Status>
            </Td>
            <Td label="Served" className="text-xs sm:max-w-[26rem]">
              <Sentence tokens={rolloutTokens(flag.filters, names)} className="text-muted" />
              <Variants flag={flag} />
            </Td>
            {hasPerson ? (
              <>
                <Td label="Value" className="font-medium text-xs">
                  {flag.evaluation ? valueInWords(flag.evaluation.value) : "off"}
                </Td>
                <Td label="Reason" className="text-muted text-xs">
                  {flag.evaluation?.text}
                </Td>
              </>
            ) : null}
          </Tr>
        ))}
      </TableBody>
    </Table>
  );
}

function Variants({ flag }: { flag: PastFlag }) {
  const variants = variantsOf(flag.filters);
  if (variants.length === 0) return null;
  return (
    <p className="break-words text-faint">
      {variants.map(({ key, rollout_percentage }) => `${key} ${percentText(rollout_percentage)}`).join(", ")}
    </p>
  );
}
