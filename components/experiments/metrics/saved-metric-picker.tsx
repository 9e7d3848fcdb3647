"use client";

import { keepPreviousData } from "@tanstack/react-query";
import { Bookmark, Plus } from "lucide-react";
import type { Route } from "next";
import { useState } from "react";
import { findClash, type List, type Listed } from "#components/experiments/saved-uses.ts";
import { useEndpoint } from "#components/kit/use-endpoint.ts";
import { useSettled } from "#components/kit/use-settled.ts";
import { kindWord, metricText } from "#components/metrics/metric-words.ts";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import { Badge } from "#components/ui/display/badge.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Skeleton } from "#components/ui/display/skeleton.tsx";
import { SearchInput } from "#components/ui/form/input.tsx";
import { Dialog } from "#components/ui/overlay/dialog.tsx";
import type { savedMetricContract } from "#lib/experiments/experiments/metrics/saved-metric-contract.ts";
import type { SavedMetricRecord } from "#lib/experiments/experiments/schema.ts";
import { formatCount, plural } from "#lib/platform/format.ts";

/** Metrics that are offered at once; more are found by name. */
const OFFERED = 50;

type Props = {
  projectId: string;
  list: List;
  values: Listed;
  onClose: () => void;
  onChoose: (saved: SavedMetricRecord) => void;
};

/** The project's saved metrics, to take one into an experiment. */
export function SavedMetricPicker({ projectId, list, values, onClose, onChoose }: Props) {
  const [text, setText] = useState("");
  const { value: search } = useSettled(text.trim(), text.trim());
  const found = useEndpoint<typeof savedMetricContract.list>(
    "/api/projects/{project_id}/experiment_saved_metrics/",
    { params: { project_id: projectId }, query: { search: search || undefined, limit: String(OFFERED) } },
    { placeholderData: keepPreviousData, staleTime: 0 },
  );
  const none = found.data?.count === 0 && search === "";
  return (
    <Dialog
      open
      size="lg"
      className="pt-1"
      onOpenChange={(open) => !open && onClose()}
      title={`Choose a saved ${list === "metrics" ? "primary" : "secondary"} metric`}
      description="Defined once and counted the same way in every experiment."
      aside={
        found.data && found.data.count > OFFERED
          ? `Showing ${OFFERED} of ${formatCount(found.data.count)}. Search to find more.`
          : undefined
      }
      footer={
        <ButtonLink
          variant="ghost"
          href={`/project/${projectId}/experiments/saved_metrics` as Route}
          target="_blank"
        >
          All saved metrics<span className="sr-only"> (opens a new tab)</span>
        </ButtonLink>
      }
    >
      {none ? (
        <EmptyState icon={Bookmark} title="No saved metrics yet">
          Add a metric here, then select its bookmark to save it for other experiments.
        </EmptyState>
      ) : (
        <>
          <SearchInput
            label="Search saved metrics"
            placeholder="Search by name"
            value={text}
            onValueChange={setText}
            pending={found.isFetching}
          />
          <div className="mt-3">
            {found.isError ? (
              <p role="alert" className="text-danger-text text-sm">
                {found.error.message}
              </p>
            ) : found.data ? (
              <Choices saved={found.data.results} values={values} onChoose={onChoose} search={search} />
            ) : (
              <Skeleton className="h-40 w-full" />
            )}
          </div>
        </>
      )}
    </Dialog>
  );
}

type ChoicesProps = Pick<Props, "values" | "onChoose"> & { saved: SavedMetricRecord[]; search: string };

function Choices({ saved, values, onChoose, search }: ChoicesProps) {
  if (saved.length === 0) return <p className="text-muted text-sm">No name contains “{search}”.</p>;
  return (
    <ul aria-label="Saved metrics" className="flex flex-col divide-y">
      {saved.map((each) => {
        const clash = findClash(values, each);
        const uses = each.experiment_count;
        return (
          <li key={each.id} className="flex items-start gap-3 py-2.5 first:pt-0 last:pb-0">
            <div className="min-w-0 flex-1">
              <p className="flex flex-wrap items-center gap-1.5 text-sm">
                <span className="break-words font-medium">{each.name}</span>
                <Badge>{kindWord(each.query)}</Badge>
                {each.query.goal === "decrease" ? <Badge tone="info">lower is better</Badge> : null}
              </p>
              {each.description ? <p className="break-words text-sm">{each.description}</p> : null}
              <p className="break-words text-muted text-xs">{metricText(each.query)}</p>
              <p className="text-faint text-xs">
                {clash ?? (uses === 0 ? "Not used yet" : `Used by ${plural(uses, "experiment")}`)}
              </p>
            </div>
            <Button size="sm" icon={Plus} disabled={clash !== null} onClick={() => onChoose(each)}>
              Use<span className="sr-only"> {each.name}</span>
            </Button>
          </li>
        );
      })}
    </ul>
  );
}
