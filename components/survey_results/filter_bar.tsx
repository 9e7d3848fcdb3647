"use client";

import { MessageSquareText, Users, X } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState, useTransition } from "react";
import { Sentence } from "#components/feature_flags/sentence.tsx";
import { Button } from "#components/ui/button.tsx";
import { Select } from "#components/ui/select.tsx";
import type { Names } from "#lib/feature_flags/words.ts";
import type { Question } from "#lib/surveys/questions.ts";
import { AnswersPanel } from "./answers_panel.tsx";
import { DateFilter } from "./date_filter.tsx";
import { filterParts } from "./filter_words.ts";
import { PeoplePanel } from "./people_panel.tsx";
import { isFiltered, NO_FILTERS, type ResultsQuery, resultsHref } from "./results_query.ts";

type Props = {
  projectId: string;
  surveyId: string;
  query: ResultsQuery;
  questions: readonly Question[];
  /** Numbers of the iterations that there have been. */
  iterations: readonly number[];
  names: Names;
  /** Today in UTC, YYYY-MM-DD. */
  today: string;
};

type Panel = "people" | "answers" | null;

/** The filters of every figure on the page. They stand in the address; what they say is written out below. */
export function FilterBar(props: Props) {
  const { projectId, surveyId, query, questions, names } = props;
  const router = useRouter();
  const [pending, start] = useTransition();
  const [panel, setPanel] = useState<Panel>(null);
  const go = (change: Partial<ResultsQuery>) =>
    start(() => router.replace(resultsHref(projectId, surveyId, query, change), { scroll: false }));
  const toggle = (which: Panel) => setPanel(panel === which ? null : which);
  const shared = { projectId, pending, names, onClose: () => setPanel(null) };
  return (
    <search
      aria-label="Filters of every figure on this page"
      className="flex flex-col gap-2 print:hidden"
      aria-busy={pending}
    >
      <div className="flex flex-wrap items-center gap-1.5">
        <DateFilter query={query} today={props.today} onChange={go} />
        <Iterations
          iterations={props.iterations}
          value={query.iteration}
          onChange={(iteration) => go({ iteration })}
        />
        <Button size="sm" icon={Users} aria-expanded={panel === "people"} onClick={() => toggle("people")}>
          People
        </Button>
        <Button
          size="sm"
          icon={MessageSquareText}
          aria-expanded={panel === "answers"}
          onClick={() => toggle("answers")}
        >
          Answers
        </Button>
        {isFiltered(query) ? (
          <Button size="sm" variant="ghost" onClick={() => go(NO_FILTERS)}>
            Clear all
          </Button>
        ) : null}
      </div>
      {panel === "people" ? (
        <PeoplePanel
          key={JSON.stringify(query.people)}
          {...shared}
          people={query.people}
          onApply={(people) => go({ people })}
        />
      ) : null}
      {panel === "answers" ? (
        <AnswersPanel
          key={JSON.stringify(query.answers)}
          {...shared}
          questions={questions}
          answers={query.answers}
          onApply={(answers) => go({ answers })}
        />
      ) : null}
      <Parts {...props} onRemove={go} />
    </search>
  );
}

function Parts({
  query,
  questions,
  names,
  onRemove,
}: Props & { onRemove: (change: Partial<ResultsQuery>) => void }) {
  const parts = filterParts(query, questions, names).filter(
    ({ key }) => key !== "dates" && key !== "iteration",
  );
  if (parts.length === 0) return null;
  return (
    <ul aria-label="Conditions" className="flex flex-wrap gap-1.5">
      {parts.map((part) => {
        const words = part.tokens.map((token) => token.text).join(" ");
        return (
          <li
            key={part.key}
            className="inline-flex min-h-6 max-w-full items-center gap-1 rounded-md border border-accent-line bg-accent-soft pl-2 text-muted text-xs"
          >
            <Sentence tokens={part.tokens} className="min-w-0 py-0.5" />
            <button
              type="button"
              aria-label={`Remove: ${words}`}
              onClick={() => onRemove(part.without)}
              className="focus-inset grid size-6 shrink-0 place-items-center rounded-sm text-muted hover:bg-pressed hover:text-ink"
            >
              <X aria-hidden="true" className="size-3" />
            </button>
          </li>
        );
      })}
    </ul>
  );
}

const ALL = "all";

function Iterations({
  iterations,
  value,
  onChange,
}: {
  iterations: readonly number[];
  value: string;
  onChange: (iteration: string) => void;
}) {
  const numbers = [...new Set([...iterations, ...(value ? [Number(value)] : [])])].sort((a, b) => a - b);
  if (numbers.length === 0) return null;
  return (
    <Select
      label="Iteration"
      size="sm"
      look="button"
      value={value || ALL}
      onValueChange={(next) => onChange(next === ALL ? "" : next)}
      options={[
        { value: ALL, label: "All iterations" },
        ...numbers.map((number) => ({
          value: String(number),
          label: number === 0 ? "Outside of iterations" : `Iteration ${number}`,
        })),
      ]}
    />
  );
}
