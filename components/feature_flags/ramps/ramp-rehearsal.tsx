"use client";

import { useEffect, useRef } from "react";
import { Callout } from "#components/ui/display/callout.tsx";
import { Table, TableBody, TableHead, Td, Th, Tr } from "#components/ui/display/table.tsx";
import { formatCount, formatShortPercent, plural } from "#lib/platform/format.ts";
import type { RampRehearsal } from "#lib/ramps/schema.ts";
import { hoursWords } from "./ramp-words.ts";

type Caught = RampRehearsal["caught"][number];

/** How a plan would have done, in words and figures. `names` are those of the guardrails, by their id. */
export function Rehearsal({ found, names }: { found: RampRehearsal; names: ReadonlyMap<string, string> }) {
  const shown = useRef<HTMLElement>(null);
  // The plan above it is often longer than the window.
  useEffect(() => {
    shown.current?.scrollIntoView({ block: "nearest" });
  }, []);
  if (found.source === "none")
    return (
      <Callout tone="warning" title="Nothing to rehearse on" live>
        No recent events come from people who called this flag. The ramp can start, but it is unknown how soon
        it would notice harm.
      </Callout>
    );
  const { replays, false_stops, false_stop_interval, hours, ended_in_step, people } = found;
  const guardrails = [...new Set(found.caught.map(({ guardrail }) => guardrail))];
  const sizes = [...new Set(found.caught.map(({ size }) => size))];
  return (
    <section ref={shown} aria-label="Rehearsal" className="flex flex-col gap-2 text-sm" aria-live="polite">
      <p>
        Replayed {formatCount(replays)} times on {plural(people, "person", "people")}
        {found.is_sample ? " chosen by chance" : ""} of the last weeks
        {found.source === "events" ? ", not only callers of the flag, because it was hardly called" : ""}.{" "}
        {hours === null
          ? `The weeks ended in step ${(ended_in_step ?? 0) + 1}: the plan takes longer than that.`
          : `The plan takes ${hoursWords(hours)}.`}
      </p>
      <p>
        Stopped although nothing was worse: {formatCount(false_stops)} of {formatCount(replays)} times (at
        most {formatShortPercent(false_stop_interval[1], 1)} with 95% confidence).
      </p>
      {guardrails.length > 0 ? (
        <Table
          caption="How soon a regression beyond the margin is caught"
          framed={false}
          minWidth="sm:min-w-0"
        >
          <TableHead>
            <Th>Guardrail</Th>
            {sizes.map((size) => (
              <Th key={size}>{formatShortPercent(size)} worse</Th>
            ))}
          </TableHead>
          <TableBody>
            {guardrails.map((guardrail) => (
              <Tr key={guardrail}>
                <Td label="Guardrail">{names.get(guardrail) ?? guardrail}</Td>
                {found.caught
                  .filter((one) => one.guardrail === guardrail)
                  .map((one) => (
                    <Td key={one.size} label={`${formatShortPercent(one.size)} worse`}>
                      {caughtWords(one)}
                    </Td>
                  ))}
              </Tr>
            ))}
          </TableBody>
        </Table>
      ) : null}
    </section>
  );
}

function caughtWords({ share, hours, people }: Caught): string {
  const often = `Caught in ${formatShortPercent(share, 0)}`;
  return hours === null || people === null
    ? often
    : `${often}, usually after ${hoursWords(hours)} and ${plural(people, "person", "people")}`;
}
