"use client";

import { CalendarDays } from "lucide-react";
import { type FormEvent, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { Popover } from "#components/ui/overlay/popover.tsx";
import { datesInWords } from "./filter-words.ts";
import type { ResultsQuery } from "./results-query.ts";

const DAY_MS = 86_400_000;

const PRESETS = [
  { days: 7, label: "Last 7 days" },
  { days: 30, label: "Last 30 days" },
  { days: 90, label: "Last 90 days" },
] as const;

/** The first day of so many that end with `today`. */
const back = (today: string, days: number) =>
  new Date(Date.parse(`${today}T00:00:00Z`) - (days - 1) * DAY_MS).toISOString().slice(0, 10);

type Props = {
  query: ResultsQuery;
  today: string;
  onChange: (change: Pick<ResultsQuery, "date_from" | "date_to">) => void;
};

/** The date filter: all time, the latest days, or two dates, in UTC. */
export function DateFilter({ query, today, onChange }: Props) {
  const [open, setOpen] = useState(false);
  const preset =
    query.date_to === "" ? PRESETS.find(({ days }) => back(today, days) === query.date_from) : undefined;
  const words = preset?.label ?? datesInWords(query) ?? "All time";
  const set = (date_from: string, date_to: string) => {
    setOpen(false);
    onChange({ date_from, date_to });
  };
  return (
    <Popover
      label="Dates"
      open={open}
      onOpenChange={setOpen}
      trigger={
        <Button size="sm" icon={CalendarDays}>
          {words.replace(/^./, (letter) => letter.toUpperCase())}
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <div className="flex flex-wrap gap-1.5">
          <Button
            size="sm"
            variant={words === "All time" ? "primary" : "secondary"}
            onClick={() => set("", "")}
          >
            All time
          </Button>
          {PRESETS.map(({ days, label }) => (
            <Button
              key={days}
              size="sm"
              variant={preset?.days === days ? "primary" : "secondary"}
              onClick={() => set(back(today, days), "")}
            >
              {label}
            </Button>
          ))}
        </div>
        <Between query={query} onSet={set} />
      </div>
    </Popover>
  );
}

function Between({ query, onSet }: { query: ResultsQuery; onSet: (from: string, to: string) => void }) {
  const [from, setFrom] = useState(query.date_from);
  const [to, setTo] = useState(query.date_to);
  const turned = from !== "" && to !== "" && from > to;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!turned) onSet(from, to);
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-2 border-t pt-3">
      <div className="grid grid-cols-2 gap-2">
        <Field label="From">
          <Input type="date" value={from} onChange={(event) => setFrom(event.target.value)} />
        </Field>
        <Field label="To" error={turned ? "The end is before the start." : undefined}>
          <Input type="date" value={to} onChange={(event) => setTo(event.target.value)} />
        </Field>
      </div>
      <Button type="submit" size="sm" variant="primary" disabled={turned}>
        Show these days
      </Button>
      <p className="text-faint text-xs">Both days are included, in UTC.</p>
    </form>
  );
}
