"use client";

import { Pencil } from "lucide-react";
import type { Route } from "next";
import { useState } from "react";
import { ReachText } from "#components/conditions/editor/reach-text.tsx";
import { valueInWords } from "#components/conditions/outcome-words.ts";
import { Count } from "#components/conditions/who_changes/count.tsx";
import { type Proposed, useWhoChanges } from "#components/conditions/who_changes/use-who-changes.ts";
import { CellRows } from "#components/conditions/who_changes/who-changes.tsx";
import { Button } from "#components/ui/button.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { ShareBar, VariantDot } from "#components/ui/display/share-bar.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import type { WhoChangesAnswer } from "#lib/flags/feature_flags/who_changes/who-changes-contract.ts";
import { type Names, percentText, reachesEveryone, variantsOf } from "#lib/people/conditions/words.ts";
import { formatCount } from "#lib/platform/format.ts";
import { SetInWords } from "./in-words.tsx";

/** Further sets are shown when asked for: each is counted. */
const SHOWN = 8;

type Props = { projectId: string; flag: FlagRecord; names: Names };

/** Who gets which value of a stored flag: its sets in words, its variants, and how many people have each value. */
export function WhoGetsIt({ projectId, flag, names }: Props) {
  const [all, setAll] = useState(false);
  const { filters } = flag;
  const sets = all ? filters.groups : filters.groups.slice(0, SHOWN);
  const rest = filters.groups.length - sets.length;
  const targeting = `/project/${projectId}/feature_flags/${flag.id}/targeting`;
  const index = filters.aggregation_group_type_index ?? null;
  return (
    <>
      <Card
        title="Who gets it"
        description={flag.name || undefined}
        actions={
          <TextLink href={targeting as Route} className="text-xs">
            Targeting
          </TextLink>
        }
      >
        <div className="flex flex-col gap-3 text-sm">
          {flag.active ? null : (
            <p className="text-muted">
              The flag is <strong className="font-medium text-ink">off</strong>: everyone gets off. Once on:
            </p>
          )}
          <ol aria-label="Who gets it, set by set" className="flex flex-col gap-3">
            {sets.map((group, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: sets are known by their place
              <li key={place} className="group/set flex gap-2">
                <span aria-hidden="true" className="tabular pt-px text-faint text-xs">
                  {place + 1}
                </span>
                <div className="min-w-0 flex-1">
                  {group.description ? <p className="font-medium">{group.description}</p> : null}
                  <SetInWords group={group} filters={filters} names={names} />
                  <p className="text-muted text-xs">
                    <ReachText projectId={projectId} group={group} groupTypeIndex={index} />
                  </p>
                </div>
                <TextLink
                  href={`${targeting}#set-${place + 1}` as Route}
                  className="inline-flex h-6 shrink-0 items-center gap-1 text-xs"
                >
                  <Pencil aria-hidden="true" className="size-3" />
                  <span>
                    Set {place + 1}
                    <span className="sr-only"> in the targeting</span>
                  </span>
                </TextLink>
              </li>
            ))}
          </ol>
          {rest > 0 ? (
            <Button size="sm" variant="ghost" className="w-fit" onClick={() => setAll(true)}>
              Show {rest} more {rest === 1 ? "set" : "sets"}
            </Button>
          ) : null}
          {reachesEveryone(filters) ? null : <p className="text-faint text-xs">Everyone else gets off.</p>}
          <Variants flag={flag} />
        </div>
      </Card>
      <Card title="Values now" description="Of everyone stored, counted by evaluating the flag.">
        <ValuesNow projectId={projectId} flag={flag} />
      </Card>
    </>
  );
}

function Variants({ flag }: { flag: FlagRecord }) {
  const variants = variantsOf(flag.filters);
  if (variants.length === 0) return null;
  return (
    <section aria-label="Variants" className="flex flex-col gap-2 border-t pt-3">
      <ShareBar
        label="Variants"
        shares={variants.map(({ key, rollout_percentage }) => ({ name: key, percent: rollout_percentage }))}
      />
      <ul className="flex flex-col gap-1 text-xs">
        {variants.map((variant, place) => (
          <li key={variant.key} className="flex items-center gap-1.5">
            <VariantDot index={place} />
            <span className="min-w-0 break-words font-medium">{variant.key}</span>
            <span className="min-w-0 flex-1 break-words text-muted">{variant.name}</span>
            <span className="tabular text-muted">{percentText(variant.rollout_percentage)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** How many people (or groups) have each value now; each count opens them. */
function ValuesNow({ projectId, flag }: Omit<Props, "names">) {
  // A save that changes nothing: everybody's value before it is their value after it.
  const proposed = { id: flag.id };
  const counted = useWhoChanges(projectId, proposed, !flag.deleted);
  if (flag.deleted) return <p className="text-muted text-sm">The flag is deleted: nobody gets a value.</p>;
  return (
    <Count label="Counting who has which value" counted={counted} soFar={valuesSoFar}>
      {(found) => <Values projectId={projectId} proposed={proposed} found={found} />}
    </Count>
  );
}

const valuesSoFar = ({ cells }: WhoChangesAnswer) =>
  cells.map(({ after, count }) => `${formatCount(count)} ${valueInWords(after ?? false)}`).join(", ");

type ValuesProps = { projectId: string; proposed: Proposed; found: WhoChangesAnswer };

function Values({ projectId, proposed, found }: ValuesProps) {
  const { total, cells, group_type_index } = found;
  const unit = group_type_index === null ? "people" : "groups";
  if (total === 0)
    return <p className="text-muted text-sm">No {unit} are stored yet, so there is nobody to count.</p>;
  return (
    <>
      <CellRows label="Values now" {...{ projectId, proposed, cells, unit, total }} />
      <p className="mt-1.5 text-faint text-xs">
        {formatCount(total)} {unit} in all.
      </p>
    </>
  );
}
