"use client";

import { dayText, localText, momentOf } from "#components/surveys/draft/moments.ts";
import { askedOnce } from "#components/surveys/draft/status.ts";
import { useBuilder, useProblem } from "#components/surveys/editing/builder-context.tsx";
import { WholeInput } from "#components/surveys/editing/whole-input.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { Checkbox } from "#components/ui/form/checkbox.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { RadioCards } from "#components/ui/form/radio-cards.tsx";
import { addDays } from "#lib/surveys/surveys/dates.ts";
import { SamplingCard } from "./sampling-card.tsx";

type Kind = "once" | "recurring" | "always";

const KINDS: { value: Kind; label: string; description: string }[] = [
  { value: "once", label: "Once", description: "Each person is asked once." },
  {
    value: "recurring",
    label: "Repeatedly",
    description: "Asked again every few days, as often as you choose.",
  },
  { value: "always", label: "Always", description: "Whenever the conditions are met. For feedback buttons." },
];

/** How often people are asked, until when, and the response limit. */
export function ScheduleTab() {
  const { readOnly } = useBuilder();
  return (
    <fieldset disabled={readOnly} aria-label="Schedule" className="flex max-w-4xl min-w-0 flex-col gap-5">
      <Card title="How often" description="For each person.">
        <HowOften />
      </Card>
      <Card title="Until" description="Whichever comes first. You can also stop it at any time.">
        <Until />
      </Card>
      <SamplingCard />
      <Card title="Unfinished responses">
        <Partial />
      </Card>
    </fieldset>
  );
}

function HowOften() {
  const { draft, put, survey, readOnly } = useBuilder();
  const { iteration_count: count, iteration_frequency_days: days, schedule } = draft;
  const kind: Kind = count
    ? "recurring"
    : schedule === "recurring" || schedule === "always"
      ? schedule
      : "once";
  const problems = [useProblem("iteration_count"), useProblem("iteration_frequency_days")];
  function choose(next: Kind) {
    put(
      next === "recurring"
        ? { schedule: next, iteration_count: count || 4, iteration_frequency_days: days || 30 }
        : { schedule: next, iteration_count: count === null ? null : 0, iteration_frequency_days: null },
    );
  }
  return (
    <div className="flex flex-col gap-4">
      <RadioCards
        label="How often"
        columns={3}
        disabled={readOnly}
        value={kind}
        options={KINDS}
        onValueChange={choose}
      />
      <p className="max-w-prose text-muted text-xs">{askedOnce({ type: draft.type, schedule: kind })}</p>
      {kind === "recurring" ? (
        <>
          <div className="grid max-w-md grid-cols-2 gap-4">
            <Field label="Iterations" error={problems[0]}>
              <WholeInput value={count} onValueChange={(next) => put({ iteration_count: next })} />
            </Field>
            <Field label="Days between" error={problems[1]}>
              <WholeInput value={days} onValueChange={(next) => put({ iteration_frequency_days: next })} />
            </Field>
          </div>
          <Rounds
            start={survey?.start_date ?? null}
            count={count}
            days={days}
            current={survey?.current_iteration ?? null}
          />
        </>
      ) : null}
    </div>
  );
}

const ROUNDS_SHOWN = 12;

type RoundsProps = {
  start: string | null;
  count: number | null;
  days: number | null;
  current: number | null;
};

/** The start dates of the iterations. */
function Rounds({ start, count, days, current }: RoundsProps) {
  if (!count || !days || count > 500 || days > 3650) return null;
  const first = start ? new Date(start) : new Date();
  const shown = Math.min(count, ROUNDS_SHOWN);
  return (
    <div className="flex flex-col gap-1.5">
      <p className="text-muted text-xs">
        {start ? "The iterations start on" : "If launched today, the iterations would start on"}
      </p>
      <ol aria-label="Iterations" className="flex flex-wrap gap-1.5">
        {Array.from({ length: shown }, (_, round) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: rounds are their numbers
            key={round}
            aria-current={current === round + 1 ? "step" : undefined}
            className="tabular rounded-md border bg-sunken px-2 py-1 text-xs aria-[current=step]:border-accent aria-[current=step]:bg-accent-soft"
          >
            <span className="mr-1.5 text-muted">{round + 1}</span>
            <span suppressHydrationWarning>{dayText(addDays(first, round * days))}</span>
          </li>
        ))}
        {count > shown ? <li className="px-1 py-1 text-muted text-xs">and {count - shown} more</li> : null}
      </ol>
    </div>
  );
}

function Until() {
  const { draft, put, survey } = useBuilder();
  const { end_date, responses_limit } = draft;
  const problem = useProblem("end_date") ?? endProblem(survey?.start_date ?? null, end_date);
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label="A date" optional error={problem} hint="In your time zone.">
        <Input
          type="datetime-local"
          suppressHydrationWarning
          value={localText(end_date)}
          onChange={(event) => put({ end_date: momentOf(event.target.value) })}
        />
      </Field>
      <Field
        label="A number of responses"
        optional
        error={useProblem("responses_limit")}
        hint="The survey stops when it has this many."
      >
        <WholeInput
          placeholder="No limit"
          value={responses_limit}
          onValueChange={(next) => put({ responses_limit: next })}
        />
      </Field>
    </div>
  );
}

const endProblem = (start: string | null, end: string | null): string | undefined =>
  start && end && Date.parse(end) <= Date.parse(start) ? "The end must be after the start." : undefined;

function Partial() {
  const { draft, put } = useBuilder();
  return (
    <Checkbox
      label="Keep answers of people who do not finish"
      description="Each answer is sent as it is given. Questions are then asked in list order, not shuffled."
      checked={draft.enable_partial_responses === true}
      onCheckedChange={(next) => put({ enable_partial_responses: next === true })}
    />
  );
}
