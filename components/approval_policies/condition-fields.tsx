"use client";

import { Plus, X } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "#components/ui/button.tsx";
import { Checkbox } from "#components/ui/form/checkbox.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { NumberInput } from "#components/ui/form/number-input.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import {
  ACTORS,
  DAYS,
  type ImpactConditions,
  type PolicyConditions,
  RESOURCES,
} from "#lib/approvals/approval_policies/schema.ts";
import { CountInput } from "./count-input.tsx";

type Props = {
  conditions: Record<string, unknown>;
  onChange: (conditions: PolicyConditions) => void;
  timezone: string;
};

type Member = Exclude<keyof ImpactConditions, "type">;
type Time = NonNullable<ImpactConditions["times"]>[number];

const FRIDAY_EVENING: Time = { days: ["friday"], from: "16:00", to: "24:00" };
/** Weeks begin on Monday. */
const WEEK = [...DAYS.slice(1), DAYS[0]] as const;

const RESOURCE_LABELS: Record<(typeof RESOURCES)[number], string> = {
  feature_flag: "Feature flags",
  cohort: "Cohorts",
  experiment: "Experiments",
  survey: "Surveys",
};
const ACTOR_LABELS: Record<(typeof ACTORS)[number], string> = {
  person: "People",
  key: "API keys",
  agent: "Agents",
};

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const dayLabels = Object.fromEntries(WEEK.map((day) => [day, capitalized(day).slice(0, 3)]));

/** When a policy is in force: conditions on what a change would do. Those on rollout percentages are edited as JSON. */
export function ConditionFields({ conditions, onChange, timezone }: Props) {
  const { type } = conditions;
  if (type !== undefined && type !== "impact")
    return (
      <p className="text-muted text-sm">
        This policy is about rollout percentages. Edit it as JSON, or{" "}
        <button
          type="button"
          className="rounded-xs text-accent-text underline underline-offset-2"
          onClick={() => onChange({ type: "impact" })}
        >
          use the impact instead
        </button>
        .
      </p>
    );
  const impact = { ...conditions, type: "impact" } as ImpactConditions;
  const set = <M extends Member>(member: M, value: ImpactConditions[M]) => {
    const { [member]: _, ...others } = impact;
    onChange((value === undefined ? others : { ...impact, [member]: value }) as ImpactConditions);
  };
  const row = <M extends Member>(
    member: M,
    label: string,
    first: NonNullable<ImpactConditions[M]>,
    edit: (value: NonNullable<ImpactConditions[M]>) => ReactNode = () => null,
  ) => {
    const value = impact[member];
    return (
      <div className="flex flex-col gap-2">
        <Checkbox
          label={label}
          checked={value !== undefined}
          onCheckedChange={(checked) => set(member, checked === true ? first : undefined)}
        />
        {value === undefined ? null : <div className="pl-6 empty:hidden">{edit(value)}</div>}
      </div>
    );
  };
  return (
    <div className="flex flex-col gap-2.5">
      {row("share_above", "It changes the value of more than a share of people", 1, (share) => (
        <NumberInput
          label="Share of people"
          className="w-28"
          value={share}
          onValueChange={(next) => set("share_above", next)}
        />
      ))}
      {row("people_above", "It changes the value of more than a number of people", 1_000, (people) => (
        <div className="w-40">
          <CountInput
            label="Number of people"
            suffix="people"
            value={people}
            onValueChange={(next) => set("people_above", next)}
          />
        </div>
      ))}
      {row("running_experiment", "An experiment is running on it", true)}
      {row("running_survey", "A survey is running on it", true)}
      {row("new_property", "It reads a property that was not read before", true)}
      {row("resources", "It is made to certain resources", ["feature_flag"], (resources) => (
        <Several
          values={RESOURCES}
          labels={RESOURCE_LABELS}
          chosen={resources}
          onChange={(next) => set("resources", next)}
        />
      ))}
      {row("actors", "Certain actors request it", ["agent"], (actors) => (
        <Several
          values={ACTORS}
          labels={ACTOR_LABELS}
          chosen={actors}
          onChange={(next) => set("actors", next)}
        />
      ))}
      {row("times", "It is requested at certain times", [FRIDAY_EVENING], (times) => (
        <Times times={times} timezone={timezone} onChange={(next) => set("times", next)} />
      ))}
    </div>
  );
}

type SeveralProps<V extends string> = {
  values: readonly V[];
  labels: Readonly<Record<string, string>>;
  chosen: readonly V[];
  onChange: (chosen: V[]) => void;
};

function Several<V extends string>({ values, labels, chosen, onChange }: SeveralProps<V>) {
  return (
    <div className="flex flex-wrap gap-x-4 gap-y-1.5">
      {values.map((value) => (
        <Checkbox
          key={value}
          label={labels[value]}
          checked={chosen.includes(value)}
          onCheckedChange={(checked) =>
            onChange(values.filter((each) => (each === value ? checked === true : chosen.includes(each))))
          }
        />
      ))}
    </div>
  );
}

function Times({
  times,
  timezone,
  onChange,
}: {
  times: Time[];
  timezone: string;
  onChange: (times: Time[]) => void;
}) {
  const change = (at: number, part: Partial<Time>) =>
    onChange(times.map((time, i) => (i === at ? { ...time, ...part } : time)));
  return (
    <div className="flex flex-col gap-3">
      <ul aria-label={`Times, in the time zone ${timezone}`} className="flex flex-col gap-3">
        {times.map((time, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: times have no identity but their place
          <li key={at} className="flex flex-col gap-2 rounded-md border p-2.5">
            <Several
              values={WEEK}
              labels={dayLabels}
              chosen={time.days}
              onChange={(days) => change(at, { days })}
            />
            <div className="flex flex-wrap items-center gap-2 text-muted text-sm">
              <span>from</span>
              <Input
                aria-label="From"
                className="w-20"
                value={time.from}
                onChange={(event) => change(at, { from: event.target.value })}
              />
              <span>to</span>
              <Input
                aria-label="To"
                className="w-20"
                value={time.to}
                onChange={(event) => change(at, { to: event.target.value })}
              />
              {times.length > 1 ? (
                <IconButton
                  icon={X}
                  size="sm"
                  label="Remove this time"
                  onClick={() => onChange(times.filter((_, i) => i !== at))}
                />
              ) : null}
            </div>
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap items-center gap-3">
        <Button size="sm" icon={Plus} onClick={() => onChange([...times, FRIDAY_EVENING])}>
          Add a time
        </Button>
        <span className="text-faint text-xs">In the time zone {timezone}.</span>
      </div>
    </div>
  );
}
