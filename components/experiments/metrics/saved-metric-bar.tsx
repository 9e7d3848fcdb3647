"use client";

import { Plus } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import type { SavedMetricActions } from "#app/project/[project_id]/experiments/experiment-actions.ts";
import { UrlSearch } from "#components/kit/list/url-search.tsx";
import { useList } from "#components/kit/list/use-list.ts";
import { later } from "#components/ui/after-page.ts";
import { Button } from "#components/ui/button.tsx";
import { type SavedMetricQuery, savedMetricList } from "./saved-metric-query.ts";

const SavedMetricDialog = later(async () => (await import("./saved-metric-dialog.tsx")).SavedMetricDialog);

/** Searches saved metrics by name; the text is part of the URL. */
export function SavedMetricSearch({ projectId, query }: { projectId: string; query: SavedMetricQuery }) {
  const { go, pending } = useList(savedMetricList, projectId, query);
  return (
    <div className="mb-3">
      <UrlSearch
        label="Search saved metrics by name"
        placeholder="Search by name"
        value={query.search}
        pending={pending}
        onSearch={(search) => go({ search })}
      />
    </div>
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
