"use client";

import { Link2, type LucideIcon, MessageSquareText, Users, X } from "lucide-react";
import { useRouter } from "next/navigation";
import { type KeyboardEvent, useRef, useState, useTransition } from "react";
import { Sentence } from "#components/conditions/sentence.tsx";
import { later } from "#components/ui/after-page.ts";
import { Button } from "#components/ui/button.tsx";
import { Select } from "#components/ui/form/select.tsx";
import type { StoredQuestion } from "#lib/engines/branching/question.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import { DateFilter } from "./date-filter.tsx";
import { filterParts } from "./filter-words.ts";
import { isFiltered, NO_FILTERS, type ResultsQuery, resultsHref } from "./results-query.ts";

const AnswersPanel = later(async () => (await import("./answers-panel.tsx")).AnswersPanel);

const FieldsPanel = later(async () => (await import("./fields-panel.tsx")).FieldsPanel);

const RowsFilter = later(
  async () => (await import("#components/conditions/editor/rows-filter.tsx")).RowsFilter,
);

type Props = {
  projectId: string;
  surveyId: string;
  query: ResultsQuery;
  questions: readonly StoredQuestion[];
  /** Numbers of the iterations that there have been. */
  iterations: readonly number[];
  names: Names;
  /** Today in UTC, YYYY-MM-DD. */
  today: string;
};

type Panel = "people" | "answers" | "fields";

/** The filters of the page, which are in the URL; described in words below. */
export function FilterBar(props: Props) {
  const { projectId, surveyId, query } = props;
  const router = useRouter();
  const [pending, start] = useTransition();
  const [panel, setPanel] = useState<Panel | null>(null);
  const bar = useRef<HTMLDivElement>(null);
  const go = (change: Partial<ResultsQuery>) =>
    start(() => router.replace(resultsHref(projectId, surveyId, query, change), { scroll: false }));
  // The focused element is about to be removed: keep the focus in the bar.
  const focus = (which?: Panel) =>
    bar.current?.querySelector<HTMLElement>(which ? `[data-panel="${which}"]` : "button")?.focus();
  const close = () => {
    if (panel) focus(panel);
    setPanel(null);
  };
  return (
    <search
      aria-label="Filters for this page"
      className="flex flex-col gap-2 print:hidden"
      aria-busy={pending}
    >
      <div ref={bar} className="flex flex-wrap items-center gap-1.5">
        <DateFilter query={query} today={props.today} onChange={go} />
        <Iterations
          iterations={props.iterations}
          value={query.iteration}
          onChange={(iteration) => go({ iteration })}
        />
        <Toggle which="people" icon={Users} panel={panel} onPanel={setPanel}>
          People
        </Toggle>
        <Toggle which="answers" icon={MessageSquareText} panel={panel} onPanel={setPanel}>
          Answers
        </Toggle>
        <Toggle which="fields" icon={Link2} panel={panel} onPanel={setPanel}>
          Hidden fields
        </Toggle>
        {isFiltered(query) ? (
          <Button
            size="sm"
            variant="ghost"
            onClick={() => {
              focus();
              go(NO_FILTERS);
            }}
          >
            Clear all
          </Button>
        ) : null}
      </div>
      <OpenPanel
        {...props}
        panel={panel}
        pending={pending}
        onClose={close}
        onApply={(change) => {
          go(change);
          close();
        }}
      />
      <Parts
        {...props}
        onRemove={(change) => {
          focus();
          go(change);
        }}
      />
    </search>
  );
}

type ToggleProps = {
  which: Panel;
  icon: LucideIcon;
  panel: Panel | null;
  onPanel: (panel: Panel | null) => void;
  children: string;
};

function Toggle({ which, icon, panel, onPanel, children }: ToggleProps) {
  const isOpen = panel === which;
  return (
    <Button
      size="sm"
      icon={icon}
      data-panel={which}
      aria-expanded={isOpen}
      onClick={() => onPanel(isOpen ? null : which)}
    >
      {children}
    </Button>
  );
}

type OpenPanelProps = Props & {
  panel: Panel | null;
  pending: boolean;
  onApply: (change: Partial<ResultsQuery>) => void;
  onClose: () => void;
};

/** The rows of the filter that is being changed; Escape leaves them. */
function OpenPanel({ panel, onApply, ...props }: OpenPanelProps) {
  const { query, onClose } = props;
  if (!panel) return null;
  const leave = (event: KeyboardEvent) => {
    if (event.key === "Escape" && !event.defaultPrevented) onClose();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the fields inside take the keys
    <div onKeyDown={leave}>
      {panel === "people" ? (
        <RowsFilter
          label="Filter by people"
          key={JSON.stringify(query.people)}
          {...props}
          rows={query.people}
          onApply={(people) => onApply({ people })}
        />
      ) : panel === "answers" ? (
        <AnswersPanel
          key={JSON.stringify(query.answers)}
          {...props}
          answers={query.answers}
          onApply={(answers) => onApply({ answers })}
        />
      ) : (
        <FieldsPanel
          key={JSON.stringify(query.fields)}
          {...props}
          fields={query.fields}
          onApply={(fields) => onApply({ fields })}
        />
      )}
    </div>
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
          label: number === 0 ? "Outside iterations" : `Iteration ${number}`,
        })),
      ]}
    />
  );
}
