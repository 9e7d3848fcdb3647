"use client";

import { Command } from "cmdk";
import { Check, Plus } from "lucide-react";
import type { ReactNode } from "react";
import { Spinner } from "#components/ui/display/spinner.tsx";

export type Option = {
  value: string;
  /** Shown in place of the value. */
  label?: string;
  /** At the right end: a count, a kind. */
  hint?: ReactNode;
  description?: string;
  icon?: ReactNode;
};

type OptionListProps = {
  options: readonly Option[];
  /** What was typed. */
  query: string;
  chosen: readonly string[];
  onChoose: (value: string) => void;
  /** Offers the typed text itself; a text says how ("Use", "Create tag"). */
  freeText?: string | undefined;
  loading?: boolean | undefined;
  /** Said when nothing fits. */
  empty?: string | undefined;
  /** Tells the id of the listbox while it is there. */
  onListId?: (id: string | undefined) => void;
};

/** The options whose value or label contains what was typed, best first. */
export function matching(options: readonly Option[], query: string): Option[] {
  const needle = query.trim().toLowerCase();
  if (!needle) return [...options];
  const place = (option: Option) => {
    const at = (text: string) => text.toLowerCase().indexOf(needle);
    const places = [at(option.label ?? option.value), at(option.value)].filter((found) => found >= 0);
    return places.length > 0 ? Math.min(...places) : -1;
  };
  return options
    .map((option) => ({ option, place: place(option) }))
    .filter((found) => found.place >= 0)
    .sort((a, b) => a.place - b.place)
    .map((found) => found.option);
}

const typedRow = (query: string) => `typed:${query.trim()}`;

/**
 * The row that Enter takes: the one moved to, else what was typed where free text is allowed, else the first.
 *
 * @param wanted the row last moved to; it may have gone since
 */
export function highlighted(
  { options, query, freeText }: Pick<OptionListProps, "options" | "query" | "freeText">,
  wanted: string,
): string {
  const rows = options.map((option) => option.value);
  const typed = typedRow(query);
  if (rows.includes(wanted) || (wanted === typed && freeText)) return wanted;
  if (rows.includes(query.trim())) return query.trim();
  if (freeText) return query.trim() ? typed : "";
  return rows[0] ?? "";
}

/** The list of a combobox; lives within cmdk's `Command`, which moves the highlight. */
export function OptionList(props: OptionListProps) {
  const { options, query, chosen, onChoose, freeText, loading, empty = "Nothing found" } = props;
  const typed = query.trim();
  const offered = freeText && typed && !options.some((option) => option.value === typed);
  return (
    <Command.List
      ref={(list) => props.onListId?.(list?.id)}
      className="max-h-[min(18rem,var(--radix-popover-content-available-height))] overflow-y-auto overscroll-contain p-1 scroll-thin"
    >
      {options.map((option) => (
        <Row key={option.value} value={option.value} onSelect={() => onChoose(option.value)}>
          {option.icon}
          <span className="flex min-w-0 flex-1 flex-col">
            <span className="truncate">{option.label ?? option.value}</span>
            {option.description ? (
              <span className="truncate text-faint text-xs">{option.description}</span>
            ) : null}
          </span>
          {option.hint ? <span className="tabular shrink-0 text-faint text-xs">{option.hint}</span> : null}
          {chosen.includes(option.value) ? (
            <>
              <Check aria-hidden="true" className="size-3.5 shrink-0 text-accent-text" />
              <span className="sr-only">chosen</span>
            </>
          ) : null}
        </Row>
      ))}
      {offered ? (
        <Row value={typedRow(query)} onSelect={() => onChoose(typed)}>
          <Plus aria-hidden="true" className="size-3.5 shrink-0 text-faint" />
          <span className="min-w-0 truncate">
            {freeText} <span className="font-medium">“{typed}”</span>
          </span>
        </Row>
      ) : null}
      {loading ? (
        <div role="status" className="flex items-center gap-2 px-2 py-1.5 text-faint text-xs">
          <Spinner className="size-3" /> Searching…
        </div>
      ) : null}
      {options.length === 0 && !offered && !loading ? (
        <div role="status" className="px-2 py-4 text-center text-faint text-xs">
          {empty}
        </div>
      ) : null}
    </Command.List>
  );
}

function Row({ value, onSelect, children }: { value: string; onSelect: () => void; children: ReactNode }) {
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      className="flex cursor-default select-none items-center gap-2 rounded-sm px-2 py-1.5 text-sm data-[selected=true]:bg-hover"
    >
      {children}
    </Command.Item>
  );
}
