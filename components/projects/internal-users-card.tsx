"use client";

import { useState } from "react";
import type { ProjectActions } from "#app/project/[project_id]/settings/project/project-actions.ts";
import { type FilterDraft, readFilters, writeFilters } from "#components/conditions/events/event-draft.ts";
import { EventFilters } from "#components/conditions/events/event-filters.tsx";
import { type Access, Permit, refused } from "#components/kit/access.tsx";
import { attempt } from "#components/kit/action.ts";
import { useUnsavedGuard } from "#components/kit/editor/unsaved-guard.tsx";
import { Button } from "#components/ui/button.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { FieldError } from "#components/ui/form/field.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";

type Props = {
  project: { id: number; test_account_filters: readonly Record<string, unknown>[] };
  access: Access;
  actions: ProjectActions;
};

const ANY_EVENT = "";

/** Which events are from real users: experiments can exclude the rest. */
export function TestAccountsCard({ project, access, actions }: Props) {
  const [stored] = useState(() => readFilters([...project.test_account_filters]));
  const [filters, setFilters] = useState<FilterDraft[]>(stored);
  const [problem, setProblem] = useState<string>();
  const [saving, setSaving] = useState(false);
  const dirty = JSON.stringify(filters) !== JSON.stringify(stored);
  const release = useUnsavedGuard(dirty);
  async function save() {
    if (!access.may_write || !dirty) return;
    setSaving(true);
    const body = { test_account_filters: writeFilters(filters) as { key: string }[] };
    const result = await attempt(() => actions.update(String(project.id), body));
    setSaving(false);
    setProblem(result.ok ? undefined : result.error.detail);
    if (!result.ok) return;
    release();
    toast.success("Test account filters saved");
  }
  return (
    <Card
      title="Test accounts"
      description="Events of real users match these conditions. Experiments that exclude test accounts ignore events that do not match."
      footer={
        <Permit access={access}>
          <Button
            variant="primary"
            loading={saving}
            disabled={access.may_write && !dirty}
            onClick={save}
            {...refused(access)}
          >
            Save conditions
          </Button>
        </Permit>
      }
    >
      <div className="flex flex-col gap-2">
        {filters.length === 0 ? (
          <p className="text-muted text-sm">Every event counts as one of a real user.</p>
        ) : null}
        <EventFilters
          projectId={String(project.id)}
          event={ANY_EVENT}
          of="of real users"
          filters={filters}
          onChange={(next) => access.may_write && setFilters(next)}
        />
        <FieldError>{problem}</FieldError>
      </div>
    </Card>
  );
}
