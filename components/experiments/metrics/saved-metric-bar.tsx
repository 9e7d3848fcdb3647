"use client";

import { Plus } from "lucide-react";
import type { Route } from "next";
import { useRouter } from "next/navigation";
import { useState, useTransition } from "react";
import type { SavedMetricActions } from "#app/project/[project_id]/experiments/experiment-actions.ts";
import { withQuery } from "#components/kit/list/search-params.ts";
import { UrlSearch } from "#components/kit/list/url-search.tsx";
import { Button } from "#components/ui/button.tsx";
import { SavedMetricDialog } from "./saved-metric-dialog.tsx";

/** Searches saved metrics by name; the text is part of the URL. */
export function SavedMetricSearch({ projectId, search }: { projectId: string; search: string }) {
  const router = useRouter();
  const [pending, start] = useTransition();
  const base = `/project/${projectId}/experiments/saved_metrics`;
  return (
    <UrlSearch
      label="Search saved metrics by name"
      placeholder="Search by name"
      value={search}
      pending={pending}
      onSearch={(text) =>
        start(() => router.replace(withQuery(base, { search: text }) as Route, { scroll: false }))
      }
    />
  );
}

/** The button that creates a saved metric. */
export function NewSavedMetric({ projectId, actions }: { projectId: string; actions: SavedMetricActions }) {
  const router = useRouter();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="primary" icon={Plus} onClick={() => setOpen(true)}>
        New saved metric
      </Button>
      {open ? (
        <SavedMetricDialog
          projectId={projectId}
          saved={null}
          from={{}}
          actions={actions}
          onClose={() => setOpen(false)}
          onSaved={() => router.refresh()}
        />
      ) : null}
    </>
  );
}
