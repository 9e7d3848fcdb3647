"use client";

import { Columns3, ListFilter } from "lucide-react";
import { useState } from "react";
import { Sentence } from "#components/conditions/sentence.tsx";
import type { PlacedProblem } from "#components/kit/editor/json.ts";
import { UrlSearch } from "#components/kit/list/url-search.tsx";
import { useList } from "#components/kit/list/use-list.ts";
import { later } from "#components/ui/after-page.ts";
import { Button } from "#components/ui/button.tsx";
import { Checkbox } from "#components/ui/form/checkbox.tsx";
import { Popover } from "#components/ui/overlay/popover.tsx";
import type { FlagProperty } from "#lib/people/conditions/filters-schema.ts";
import { type Names, rowTokens, type Token } from "#lib/people/conditions/words.ts";
import { COLUMNS_MAX, type PeopleQuery, peopleList } from "./people-query.ts";

const RowsFilter = later(
  async () => (await import("#components/conditions/editor/rows-filter.tsx")).RowsFilter,
);

type Props = {
  projectId: string;
  query: PeopleQuery;
  names: Names;
  /** Properties that can be columns, most used first. */
  properties: readonly { name: string; count: number }[];
  columns: readonly string[];
  /** What the API says about the filter; the path begins at the row. */
  problem: PlacedProblem | null;
};

/** Search, a filter on properties, and the columns; all of it is in the URL. */
export function PeopleFilters({ projectId, query, names, properties, columns, problem }: Props) {
  const { go, pending } = useList(peopleList, projectId, query);
  const [open, setOpen] = useState(problem !== null);
  return (
    <div className="mb-3 flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <UrlSearch
          label="Search people by id, email address or name"
          placeholder="Search id, email or name"
          value={query.search}
          pending={pending}
          onSearch={(search) => go({ search })}
        />
        <Button size="sm" icon={ListFilter} aria-expanded={open} onClick={() => setOpen(!open)}>
          {query.rows.length > 0 ? "Filter" : "Filter by property"}
          {query.rows.length > 0 ? (
            <span className="tabular text-accent-text">{query.rows.length}</span>
          ) : null}
        </Button>
        <ColumnsMenu properties={properties} columns={columns} onColumns={(next) => go({ columns: next })} />
        {query.rows.length > 0 && !open ? (
          <p className="min-w-0 text-muted text-xs">
            where <Sentence tokens={joined(query.rows, names)} />
            <Button size="sm" variant="ghost" className="ml-1" onClick={() => go({ rows: [] })}>
              Clear
            </Button>
          </p>
        ) : null}
      </div>
      {open ? (
        <RowsFilter
          label="Filter by property"
          key={JSON.stringify(query.rows)}
          {...{ projectId, names, problem }}
          rows={query.rows}
          pending={pending}
          onApply={(rows) => go({ rows })}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </div>
  );
}

const joined = (rows: readonly FlagProperty[], names: Names): Token[] =>
  rows.flatMap((row, place) => [
    ...(place > 0 ? [{ text: "and", kind: "word" as const }] : []),
    ...rowTokens(row, names),
  ]);

type ColumnsProps = Pick<Props, "properties" | "columns"> & { onColumns: (columns: string[]) => void };

function ColumnsMenu({ properties, columns, onColumns }: ColumnsProps) {
  if (properties.length === 0) return null;
  const full = columns.length >= COLUMNS_MAX;
  return (
    <Popover
      label="Columns"
      className="w-64"
      trigger={
        <Button size="sm" icon={Columns3}>
          Columns
        </Button>
      }
    >
      <div className="-m-1 flex max-h-72 flex-col gap-1.5 overflow-y-auto p-1 scroll-thin">
        {properties.map(({ name }) => {
          const shown = columns.includes(name);
          return (
            <Checkbox
              key={name}
              label={<span className="break-all">{name}</span>}
              checked={shown}
              disabled={!shown && full}
              onCheckedChange={(on) =>
                onColumns(on === true ? [...columns, name] : columns.filter((each) => each !== name))
              }
            />
          );
        })}
        {full ? <p className="text-faint text-xs">{COLUMNS_MAX} columns at most.</p> : null}
      </div>
    </Popover>
  );
}
