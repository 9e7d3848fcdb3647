"use client";

import { ChevronDown } from "lucide-react";
import { useId, useState } from "react";
import { CellPeople } from "#components/conditions/who_changes/cell-people.tsx";
import { Count } from "#components/conditions/who_changes/count.tsx";
import {
  type Cell,
  type Proposed,
  useWhoChanges,
} from "#components/conditions/who_changes/use-who-changes.ts";
import { audienceFilters } from "#components/surveys/draft/audience.ts";
import type { SurveyBody } from "#components/surveys/draft/survey-draft.ts";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import type { WhoChangesAnswer } from "#lib/flags/feature_flags/who_changes/who-changes-contract.ts";
import { formatCount } from "#lib/platform/format.ts";

type Props = {
  projectId: string;
  body: SurveyBody;
  /** Of the stored survey; null for a new one. */
  id: string | null;
  /** Key of its targeting flag, which the rollout hash uses. */
  flagKey: string | null;
};

/** The exact number of stored people in the audience, expandable to a list. */
export function AudienceCount({ projectId, body, id, flagKey }: Props) {
  const proposed: Proposed = {
    id: null,
    key: flagKey ?? "survey-audience",
    active: true,
    filters: audienceFilters(body, id),
  };
  const counted = useWhoChanges(projectId, proposed);
  return (
    <Count label="Counting the audience" counted={counted} soFar={askedSoFar}>
      {(found) => <Audience projectId={projectId} proposed={proposed} found={found} />}
    </Count>
  );
}

/** Those for whom the targeting flag is on. */
const askedIn = ({ cells }: WhoChangesAnswer) =>
  cells.find((each) => each.after !== false && each.after !== null);

const askedSoFar = (part: WhoChangesAnswer) => `${formatCount(askedIn(part)?.count ?? 0)} may be asked`;

type AudienceProps = { projectId: string; proposed: Proposed; found: WhoChangesAnswer };

function Audience({ projectId, proposed, found }: AudienceProps) {
  const unit = found.group_type_index === null ? "people" : "groups";
  const cell = askedIn(found);
  if (found.total === 0)
    return <p className="text-muted text-sm">No {unit} are stored yet, so there is nobody to count.</p>;
  return <Asked {...{ projectId, proposed, cell, unit }} total={found.total} />;
}

type AskedProps = {
  projectId: string;
  proposed: Proposed;
  cell: Cell | undefined;
  unit: string;
  total: number;
};

function Asked({ projectId, proposed, cell, unit, total }: AskedProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const count = cell?.count ?? 0;
  return (
    <div className="flex flex-col gap-2">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm" aria-live="polite">
        <span>
          <strong className="tabular font-semibold">{formatCount(count)}</strong> of{" "}
          <span className="tabular">{formatCount(total)}</span> {unit} may be asked
        </span>
        {cell && unit === "people" ? (
          <Button
            size="sm"
            variant="ghost"
            aria-expanded={open}
            aria-controls={id}
            onClick={() => setOpen(!open)}
          >
            Show people
            <ChevronDown aria-hidden="true" className={cn("transition-transform", open && "rotate-180")} />
          </Button>
        ) : null}
      </p>
      <div id={id} hidden={!open}>
        {open && cell ? (
          <CellPeople
            {...{ projectId, proposed, cell }}
            first={20}
            label="People in the audience"
            className="rounded-md border bg-sunken px-3 py-2"
          />
        ) : null}
      </div>
    </div>
  );
}
