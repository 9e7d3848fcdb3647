"use client";

import { Card } from "#components/ui/card.tsx";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { Field } from "#components/ui/field.tsx";
import { Input } from "#components/ui/input.tsx";
import { RadioCards } from "#components/ui/radio-cards.tsx";
import { addDays } from "#lib/surveys/dates.ts";
import { useBuilder, useProblem } from "./builder_context.tsx";
import { dayText, localText, momentOf } from "./moments.ts";
import { SamplingCard } from "./sampling_card.tsx";
import { WholeInput } from "./whole_input.tsx";

type Kind = "once" | "recurring" | "always";

const KINDS: { value: Kind; label: string; description: string }[] = [
  { value: "once", label: "Once", description: "Nobody is asked twice." },
  {
    value: "recurring",
    label: "In rounds",
    description: "Asked again after some days, as often as you say.",
  },
  { value: "always", label: "Always", description: "As often as people come by. For feedback buttons." },
];

/** How often people are asked, until when, and how many answers are wanted. */
export function ScheduleTab() {
  const { readOnly } = useBuilder();
  return (
    <fieldset disabled={readOnly} aria-label="Schedule" className="flex max-w-4xl min-w-0 flex-col gap-5">
      <Card title="How often" description="For one person.">
        <HowOften />
      </Card>
      <Card title="Until" description="Whichever comes first. It can also be stopped by hand at any time.">
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
  const { draft, putFields, survey, readOnly } = useBuilder();
  const { iteration_count: count, iteration_frequency_days: days, schedule } = draft.fields;
  const kind: Kind = count
    ? "recurring"
    : schedule === "recurring" || schedule === "always"
      ? schedule
      : "once";
  const problems = [useProblem("iteration_count"), useProblem("iteration_frequency_days")];
  function choose(next: Kind) {
    putFields(
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
      {kind === "recurring" ? (
        <>
          <div className="grid max-w-md grid-cols-2 gap-4">
            <Field label="Rounds" error={problems[0]}>
              <WholeInput value={count} onValueChange={(next) => putFields({ iteration_count: next })} />
            </Field>
            <Field label="Days between" error={problems[1]}>
              <WholeInput
                value={days}
                onValueChange={(next) => putFields({ iteration_frequency_days: next })}
              />
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

/** The first days of the rounds. */
function Rounds({ start, count, days, current }: RoundsProps) {
  if (!count || !days || count > 500 || days > 3650) return null;
  const first = start ? new Date(start) : new Date();
  const shown = Math.min(count, ROUNDS_SHOWN);
  return (
    <div className="flex flex-col gap-1.5">
      <p className="text-muted text-xs">
        {start ? "The rounds begin on" : "Launched today, the rounds would begin on"}
      </p>
      <ol aria-label="Rounds" className="flex flex-wrap gap-1.5">
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
  const { draft, putFields, survey } = useBuilder();
  const { end_date, responses_limit } = draft.fields;
  const problem = useProblem("end_date") ?? endProblem(survey?.start_date ?? null, end_date);
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label="A date" optional error={problem} hint="In your time zone.">
        <Input
          type="datetime-local"
          suppressHydrationWarning
          value={localText(end_date)}
          onChange={(event) => putFields({ end_date: momentOf(event.target.value) })}
        />
      </Field>
      <Field
        label="So many responses"
        optional
        error={useProblem("responses_limit")}
        hint="It stops by itself once they are in."
      >
        <WholeInput
          placeholder="No limit"
          value={responses_limit}
          onValueChange={(next) => putFields({ responses_limit: next })}
        />
      </Field>
    </div>
  );
}

const endProblem = (start: string | null, end: string | null): string | undefined =>
  start && end && Date.parse(end) <= Date.parse(start) ? "It would end before it starts." : undefined;

function Partial() {
  const { draft, putFields } = useBuilder();
  return (
    <Checkbox
      label="Keep what people answered before they left"
      description="Each answer is sent as it is given. Questions are then asked in the order of the list, not shuffled."
      checked={draft.fields.enable_partial_responses === true}
      onCheckedChange={(next) => putFields({ enable_partial_responses: next === true })}
    />
  );
}
