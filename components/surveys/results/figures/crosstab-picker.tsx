"use client";

import { ArrowLeftRight } from "lucide-react";
import { useRouter } from "next/navigation";
import { useTransition } from "react";
import {
  type ResultsQuery,
  resultsHref,
  TABLE_SHARES,
} from "#components/surveys/results/filters/results-query.ts";
import { Select } from "#components/ui/form/select.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";

import { SHARES_OF } from "./crosstab-shares.ts";

export type CrosstabOption = { id: string; label: string; rating: boolean };

type Props = {
  projectId: string;
  surveyId: string;
  query: ResultsQuery;
  options: readonly CrosstabOption[];
  row: string;
  column: string;
};

const WAYS = [
  { value: "buckets", label: "Ratings in groups" },
  { value: "values", label: "Every rating" },
] as const;

/** The selection of the two questions, in the URL like the filters. */
export function CrosstabPicker({ projectId, surveyId, query, options, row, column }: Props) {
  const router = useRouter();
  const [pending, start] = useTransition();
  const go = (change: Partial<ResultsQuery>) =>
    start(() => router.replace(resultsHref(projectId, surveyId, query, change), { scroll: false }));
  const pick = (row_question: string, column_question: string) =>
    go(
      row_question === column_question
        ? { row_question: column, column_question: row }
        : { row_question, column_question },
    );
  const choices = options.map(({ id, label }) => ({ value: id, label }));
  const rating = options.some((option) => option.rating && (option.id === row || option.id === column));
  return (
    <div className="flex max-w-full flex-wrap items-center gap-1.5 print:hidden" aria-busy={pending}>
      <Select
        label="Rows"
        size="sm"
        look="button"
        className="max-w-56"
        value={row}
        onValueChange={(id) => pick(id, column)}
        options={choices}
      />
      <IconButton
        icon={ArrowLeftRight}
        size="sm"
        label="Swap rows and columns"
        onClick={() => go({ row_question: column, column_question: row })}
      />
      <Select
        label="Columns"
        size="sm"
        look="button"
        className="max-w-56"
        value={column}
        onValueChange={(id) => pick(row, id)}
        options={choices}
      />
      {rating ? (
        <Select
          label="Ratings"
          size="sm"
          look="button"
          value={query.ratings}
          onValueChange={(ratings) => go({ ratings })}
          options={WAYS}
        />
      ) : null}
      <Select
        label="Percentages"
        size="sm"
        look="button"
        value={query.shares}
        onValueChange={(shares) => go({ shares })}
        options={TABLE_SHARES.map((value) => ({ value, label: `% ${SHARES_OF[value]}` }))}
      />
    </div>
  );
}
