"use client";

import { Check, Minus, X } from "lucide-react";
import { useMemo } from "react";
import { Callout } from "#components/ui/callout.tsx";
import { cn } from "#components/ui/cn.ts";
import { VariantDot } from "#components/ui/share-bar.tsx";
import { compileFlags } from "#lib/evaluation/compile.ts";
import { explainFlag, type FlagExplanation, type SetExplanation } from "#lib/evaluation/explain.ts";
import type { FlagDefinition } from "#lib/evaluation/types.ts";
import type { FlagFilters } from "#lib/feature_flags/filters_schema.ts";
import { type Names, rowTokens, variantsOf } from "#lib/feature_flags/words.ts";
import type { FlagActions } from "./flag_actions.ts";
import type { FlagBody } from "./form_values.ts";
import { reasonInWords, setInWords, valueInWords, variantInWords } from "./outcome_words.ts";
import { Sentence } from "./sentence.tsx";
import { KeepTestCase } from "./test_cases.tsx";

type OutcomeProps = { value: boolean | string; reason: string; filters: FlagFilters };

/** A value with its reason. */
export function Outcome({ value, reason, filters }: OutcomeProps) {
  const place = variantsOf(filters).findIndex((variant) => variant.key === value);
  return (
    <div className="rounded-md border bg-sunken px-3 py-2">
      <p className="flex items-center gap-1.5 font-semibold text-sm">
        {place >= 0 ? <VariantDot index={place} /> : null}
        <span className="font-normal text-muted">Gets</span> {valueInWords(value)}
      </p>
      <p className="text-muted text-xs">{reason}</p>
    </div>
  );
}

type DescribedProps = {
  body: FlagBody;
  active: boolean;
  asked: { id: string; properties: string };
  names: Names;
  /** Where the outcome can be kept as a test case; null where it cannot. */
  keep: { projectId: string; flagId: number; actions: FlagActions } | null;
};

/** Evaluates the flag as it stands in the form for a person who exists only here. */
export function DescribedOutcome({ body, active, asked, names, keep }: DescribedProps) {
  const explained = useMemo(() => explain(body, active, asked), [body, active, asked]);
  const elsewhere = looksElsewhere(body.filters);
  if (!explained) return <p className="text-muted text-sm">The flag cannot be evaluated as it stands.</p>;
  const { outcome } = explained;
  return (
    <>
      <Outcome
        value={outcome.value}
        reason={reasonInWords(outcome.reason, outcome.condition_index)}
        filters={body.filters}
      />
      <Why explained={explained} filters={body.filters} names={names} />
      {keep && !elsewhere ? (
        <KeepTestCase
          key={`${asked.id} ${asked.properties}`}
          {...keep}
          person={{ distinct_id: asked.id, person_properties: personOf(asked) }}
          value={outcome.value}
        />
      ) : null}
      {elsewhere ? (
        <Callout>
          Rows on cohorts and other flags count as not holding for a described person. Test a stored one to
          have them looked up.
        </Callout>
      ) : null}
    </>
  );
}

/** Whether a row asks for what only the service knows: members of cohorts, values of other flags. */
export const looksElsewhere = (filters: FlagFilters): boolean =>
  filters.groups.some((group) =>
    group.properties?.some((row) => row.type === "cohort" || row.type === "flag"),
  );

type WhyProps = { explained: FlagExplanation; filters: FlagFilters; names: Names };

/** Every set with its rows, where the person falls, and what goes with the value. */
export function Why({ explained, filters, names }: WhyProps) {
  const { payload } = explained.outcome;
  const variant = variantInWords(explained);
  return (
    <div className="flex flex-col gap-2 text-xs">
      <ol className="flex flex-col gap-2">
        {explained.sets.map((set) => (
          <SetOutcome key={set.index} set={set} filters={filters} names={names} />
        ))}
      </ol>
      {variant ? <p className="text-muted">{variant}</p> : null}
      {payload === null || payload === undefined ? null : (
        <p className="break-words text-muted">
          Payload:{" "}
          <code className="font-mono text-ink">
            {typeof payload === "string" ? payload : JSON.stringify(payload)}
          </code>
        </p>
      )}
    </div>
  );
}

const personOf = (asked: DescribedProps["asked"]): Record<string, unknown> =>
  asked.properties.trim() ? JSON.parse(asked.properties) : {};

function explain(body: FlagBody, active: boolean, asked: DescribedProps["asked"]) {
  try {
    return explainFor(body, active, { distinct_id: asked.id, properties: personOf(asked) });
  } catch {
    return null;
  }
}

type Person = { distinct_id: string; properties: Record<string, unknown> };

/** What a flag gives a person of whom just this is known; null where it cannot be evaluated as it stands. */
export function explainFor(
  body: Pick<FlagBody, "key" | "filters">,
  active: boolean,
  person: Person,
): FlagExplanation | null {
  try {
    const definition = { id: 1, key: body.key || "flag", active, filters: body.filters } as FlagDefinition;
    const now = Date.now();
    return explainFlag(compileFlags({ flags: [definition] }), definition.key, {
      distinct_id: person.distinct_id,
      person_properties: person.properties,
      now,
    });
  } catch {
    return null;
  }
}

const SIGNS = {
  pass: { icon: Check, look: "text-success-text", words: "Holds: " },
  fail: { icon: X, look: "text-danger-text", words: "Does not hold: " },
  undecided: { icon: Minus, look: "text-faint", words: "Cannot be decided: " },
};

function SetOutcome({ set, filters, names }: { set: SetExplanation; filters: FlagFilters; names: Names }) {
  const rows = filters.groups[set.index]?.properties ?? [];
  return (
    <li>
      <p className="text-muted">
        <span className="font-medium text-ink">Set {set.index + 1}</span>: {setInWords(set)}
      </p>
      <ul className="mt-0.5 flex flex-col gap-0.5 pl-3 empty:hidden">
        {set.rows.map((each, place) => {
          const { icon: Sign, look, words } = SIGNS[each.result];
          const row = rows[place];
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows are known by their place
            <li key={place} className="flex items-start gap-1.5 text-muted">
              <Sign aria-hidden="true" className={cn("mt-0.5 size-3.5 shrink-0", look)} />
              <span className="min-w-0">
                <span className="sr-only">{words}</span>
                {row ? <Sentence tokens={rowTokens(row, names)} /> : null}
                {each.result === "pass" ? null : <span className="text-faint"> · {each.why}</span>}
              </span>
            </li>
          );
        })}
      </ul>
    </li>
  );
}
