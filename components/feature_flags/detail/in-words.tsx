"use client";

import { Sentence } from "#components/conditions/sentence.tsx";
import type { FlagBody } from "#components/feature_flags/form-values.ts";
import { Card } from "#components/ui/display/card.tsx";
import { VariantDot } from "#components/ui/display/share-bar.tsx";
import type { FlagFilters, FlagGroup } from "#lib/people/conditions/filters-schema.ts";
import {
  capitalized,
  type Names,
  percentText,
  reachesEveryone,
  setTokens,
  shareOf,
  variantsOf,
} from "#lib/people/conditions/words.ts";

type SetProps = { group: FlagGroup; filters: FlagFilters; names: Names };

/** Who a condition set is for and what they get, in a line. */
export function SetInWords({ group, filters, names }: SetProps) {
  const variants = variantsOf(filters);
  const place = variants.findIndex((variant) => variant.key === group.variant);
  return (
    <span className="min-w-0 text-muted">
      <Sentence tokens={capitalized(setTokens(group, filters, names))} />
      {shareOf(group) > 0 ? (
        <>
          {" "}
          {group.variant ? (
            <>
              {"→ "}
              <VariantDot index={Math.max(0, place)} />{" "}
              <span className="font-medium text-ink">{group.variant}</span>
            </>
          ) : (
            <>→ {variants.length > 0 ? "a variant by percentage" : "on"}</>
          )}
        </>
      ) : null}
    </span>
  );
}

/** Sets beyond these are counted. */
const SHOWN = 12;

type Props = { body: FlagBody; names: Names; active: boolean };

/** The whole flag as a few sentences, as it is in the form. */
export function InWords({ body, names, active }: Props) {
  const { filters } = body;
  const variants = variantsOf(filters);
  return (
    <Card title="In words">
      <div className="flex flex-col gap-2.5 text-sm">
        {active ? null : (
          <p className="text-muted">
            The flag is <strong className="font-medium text-ink">off</strong>: everyone gets off. Once on:
          </p>
        )}
        <ol className="flex flex-col gap-2">
          {filters.groups.slice(0, SHOWN).map((group, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: sets are known by their place
            <li key={at} className="flex gap-2">
              <span aria-hidden="true" className="tabular pt-px text-faint text-xs">
                {at + 1}
              </span>
              <SetInWords group={group} filters={filters} names={names} />
            </li>
          ))}
        </ol>
        {filters.groups.length > SHOWN ? (
          <p className="text-faint text-xs">and {filters.groups.length - SHOWN} more sets</p>
        ) : null}
        {variants.length > 0 ? (
          <ul className="flex flex-col gap-1 border-t pt-2.5 text-xs">
            {variants.map((variant, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two variants may have the same key while typing
              <li key={at} className="flex items-center gap-1.5">
                <VariantDot index={at} />
                <span className="min-w-0 flex-1 truncate">{variant.key || "(no key)"}</span>
                <span className="tabular text-muted">{percentText(variant.rollout_percentage || 0)}</span>
              </li>
            ))}
          </ul>
        ) : null}
        {reachesEveryone(filters) ? null : <p className="text-faint text-xs">Everyone else gets off.</p>}
      </div>
    </Card>
  );
}
