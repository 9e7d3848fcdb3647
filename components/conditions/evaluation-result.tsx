"use client";

import { Check, type LucideIcon, Minus, X } from "lucide-react";
import { valueInWords } from "#components/conditions/outcome-words.ts";
import { Sentence } from "#components/conditions/sentence.tsx";
import { cn } from "#components/ui/cn.ts";
import { Callout } from "#components/ui/display/callout.tsx";
import { VariantDot } from "#components/ui/display/share-bar.tsx";
import { Skeleton } from "#components/ui/display/skeleton.tsx";
import type { EvaluateAnswer } from "#lib/flags/feature_flags/evaluation/evaluate-contract.ts";
import type { FlagProperty } from "#lib/people/conditions/filters-schema.ts";
import { type Names, rowTokens } from "#lib/people/conditions/words.ts";

type Found = EvaluateAnswer;
type SetResult = Found["sets"][number];
type RowResult = SetResult["rows"][number];

/** An evaluation, as far as it has come. */
export type EvaluationState =
  | { state: "evaluating" }
  | { state: "failed"; problem: string }
  | { state: "evaluated"; found: EvaluateAnswer };

type Props = {
  evaluation: EvaluationState;
  /** What was tested: the draft, or the saved version. */
  version: string;
  /** Whether the person is made up, so that nobody expects a stored one. */
  isDescribed: boolean;
  names: Names;
};

/** What the tested person or group gets, and how every set and row came out. */
export function EvaluationResult({ evaluation, version, isDescribed, names }: Props) {
  if (evaluation.state === "failed")
    return (
      <Callout tone="danger" title="Not evaluated">
        {evaluation.problem}
      </Callout>
    );
  if (evaluation.state === "evaluating")
    return (
      <div role="status" aria-label="Evaluating the flag">
        <Skeleton className="h-14 w-full" />
      </div>
    );
  const { found } = evaluation;
  return (
    <>
      <Outcome found={found} version={version} />
      {isDescribed ? null : <NotStored found={found} />}
      <div className="flex flex-col gap-2 text-xs">
        <ol aria-label="Condition sets" className="flex flex-col gap-2">
          {found.sets.map((set) => (
            <SetLine key={set.set} set={set} names={names} />
          ))}
        </ol>
        {found.variants?.text ? <p className="text-muted">{found.variants.text}</p> : null}
        <Payload payload={(found.if_on ?? found).payload} />
      </div>
    </>
  );
}

function Value({ found, value }: { found: Found; value: Found["value"] }) {
  const place = found.variants?.ranges.findIndex((range) => range.key === value) ?? -1;
  return (
    <span className="inline-flex items-center gap-1.5 font-semibold text-ink">
      {place >= 0 ? <VariantDot index={place} /> : null}
      {valueInWords(value)}
    </span>
  );
}

function Outcome({ found, version }: { found: Found; version: string }) {
  return (
    <div className="rounded-md border bg-sunken px-3 py-2 text-xs">
      <p className="flex items-baseline justify-between gap-3 text-sm">
        <span>
          <span className="text-muted">Gets</span> <Value found={found} value={found.value} />
        </span>
        <span className="text-faint text-xs">{version}</span>
      </p>
      <p className="text-muted">{found.reason.text}</p>
      {found.if_on ? (
        <p className="mt-1 text-muted">
          If it were on: gets <Value found={found} value={found.if_on.value} />. {found.if_on.reason.text}
        </p>
      ) : null}
    </div>
  );
}

/** Ids that are not stored are evaluated all the same, but that is rarely what was meant. */
function NotStored({ found }: { found: Found }) {
  const unknown = found.groups.filter((group) => !group.is_stored).map(({ type, key }) => `${type} ${key}`);
  return (
    <>
      {found.person && !found.person.is_stored ? (
        <p className="text-faint text-xs">No person with this distinct id is stored.</p>
      ) : null}
      {unknown.length > 0 ? <p className="text-faint text-xs">Not stored: {unknown.join(", ")}.</p> : null}
    </>
  );
}

function Payload({ payload }: { payload: unknown }) {
  if (payload === null || payload === undefined) return null;
  return (
    <p className="break-words text-muted">
      Payload:{" "}
      <code className="font-mono text-ink">
        {typeof payload === "string" ? payload : JSON.stringify(payload)}
      </code>
    </p>
  );
}

function SetLine({ set, names }: { set: SetResult; names: Names }) {
  return (
    <li>
      <p className="text-muted">
        <span className="font-medium text-ink">Set {set.set}</span> {set.text}
      </p>
      <RowLines rows={set.rows} names={names} className="mt-0.5 pl-3" />
    </li>
  );
}

const SIGNS: Record<RowResult["result"], { icon: LucideIcon; look: string; words: string }> = {
  pass: { icon: Check, look: "text-success-text", words: "Matches: " },
  fail: { icon: X, look: "text-danger-text", words: "Does not match: " },
  undecided: { icon: Minus, look: "text-faint", words: "Cannot be evaluated: " },
};

type RowLinesProps = { rows: readonly RowResult[]; names: Names; className?: string };

function RowLines({ rows, names, className }: RowLinesProps) {
  if (rows.length === 0) return null;
  return (
    <ul className={cn("flex flex-col gap-0.5", className)}>
      {rows.map((row, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows are known by their place
        <RowLine key={place} row={row} names={names} />
      ))}
    </ul>
  );
}

/** A node of a cohort's tree with one member says nothing that the member does not. */
const simplest = (row: RowResult): RowResult => {
  const [only] = row.rows;
  return row.property === null && row.rows.length === 1 && only ? simplest(only) : row;
};

function RowLine({ row: given, names }: { row: RowResult; names: Names }) {
  const row = simplest(given);
  const { icon: Sign, look, words } = SIGNS[row.result];
  const property = row.property as FlagProperty | null;
  return (
    <li>
      <p className="flex items-start gap-1.5 text-muted">
        <Sign aria-hidden="true" className={cn("mt-0.5 size-3.5 shrink-0", look)} />
        <span className="min-w-0 break-words">
          <span className="sr-only">{words}</span>
          {property ? (
            <>
              {property.negation === true ? "not: " : null}
              <Sentence tokens={rowTokens(property, names)} />
            </>
          ) : (
            row.why
          )}
          {property && row.result !== "pass" ? <span className="text-faint"> · {row.why}</span> : null}
        </span>
      </p>
      <RowLines rows={row.rows.map(simplest)} names={names} className="mt-0.5 ml-1.5 border-l pl-3" />
    </li>
  );
}
