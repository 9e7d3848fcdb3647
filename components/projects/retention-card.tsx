"use client";

import { Plus, X } from "lucide-react";
import { useState } from "react";
import type { z } from "zod";
import type { ProjectActions } from "#app/project/[project_id]/settings/project/project-actions.ts";
import { useSeenEvents } from "#components/conditions/events/use-seen.ts";
import { type Access, Permit, refused } from "#components/kit/access.tsx";
import { attempt } from "#components/kit/action.ts";
import { useUnsavedGuard } from "#components/kit/editor/unsaved-guard.tsx";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { Checkbox } from "#components/ui/form/checkbox.tsx";
import { Combobox } from "#components/ui/form/combobox.tsx";
import { Field, FieldError } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import {
  KEPT_EVENTS,
  RETENTION_DAYS_MAX,
  RETENTION_DAYS_MIN,
} from "#lib/identity/projects/event-retention.ts";
import type { EventRetention } from "#lib/identity/projects/event-retention-schema.ts";
import type { retentionPreview, retentionState } from "#lib/people/retention/contract.ts";
import { formatCount, formatDays, formatFullDay, plural } from "#lib/platform/format.ts";

type State = z.output<typeof retentionState>;
type Preview = z.output<typeof retentionPreview>;

type Props = {
  project: { id: number; event_retention: EventRetention | null };
  state: State;
  access: Access;
  actions: ProjectActions;
};

type Row = { id: number; event: string; days: string };
type Draft = { days: string; rows: Row[]; keeps: boolean };

const textOf = (days: number | null) => (days === null ? "" : String(days));

const draftOf = (retention: EventRetention | null): Draft => ({
  days: textOf(retention?.days ?? null),
  rows: Object.entries(retention?.by_event ?? {}).map(([event, days], id) => ({
    id,
    event,
    days: textOf(days),
  })),
  keeps: retention?.keep_in_clickhouse ?? false,
});

const isDays = (text: string) =>
  text === "" ||
  (/^\d{1,4}$/.test(text) && Number(text) >= RETENTION_DAYS_MIN && Number(text) <= RETENTION_DAYS_MAX);

const daysOf = (text: string): number | null => (text === "" ? null : Number(text));

/** Null: everything is kept forever. */
function retentionOf({ days, rows, keeps }: Draft): EventRetention | null {
  if (days === "" && rows.length === 0) return null;
  return {
    days: daysOf(days),
    by_event: Object.fromEntries(rows.map((row) => [row.event, daysOf(row.days)])),
    ...(keeps && { keep_in_clickhouse: true }),
  };
}

const BOUNDS = `Enter ${RETENTION_DAYS_MIN} to ${formatCount(RETENTION_DAYS_MAX)} days, or nothing.`;

function problemOf({ days, rows }: Draft): string | undefined {
  if (!isDays(days) || rows.some((row) => !isDays(row.days))) return BOUNDS;
  if (rows.some((row) => row.event === "")) return "Choose an event for each line.";
  if (new Set(rows.map((row) => row.event)).size < rows.length) return "Each event can be listed once.";
  const kept = rows.find((row) => KEPT_EVENTS.includes(row.event));
  return kept && `Events named “${kept.event}” are always kept: figures are counted from them.`;
}

function DaysInput({
  value,
  label,
  readOnly,
  onChange,
}: {
  value: string;
  label?: string;
  readOnly: boolean;
  onChange: (value: string) => void;
}) {
  return (
    <span className="flex items-center gap-2">
      <Input
        aria-label={label}
        aria-invalid={isDays(value) ? undefined : true}
        inputMode="numeric"
        placeholder="Forever"
        className="w-24"
        value={value}
        readOnly={readOnly}
        onChange={(event) => onChange(event.target.value.trim())}
      />
      <span className="text-muted text-sm">days</span>
    </span>
  );
}

/** What is only in ClickHouse. */
function onlyInClickHouse({ only_in_clickhouse: count, only_in_clickhouse_days: days }: State): string {
  if (!days) return "";
  const when = formatDays(Date.parse(days.from), Date.parse(days.to));
  return ` ${plural(count, "event is", "events are")} only in ClickHouse (${when}).`;
}

/** What was deleted until now. */
function Deleted({ state }: { state: State }) {
  const refusals = state.horizons.reduce((sum, { refused }) => sum + refused, 0);
  if (state.horizons.length === 0) return null;
  return (
    <p className="text-muted text-xs">
      {plural(state.deleted, "event was", "events were")} deleted until now.
      {onlyInClickHouse(state)}
      {refusals > 0
        ? ` ${plural(refusals, "event", "events")} from before arrived later and ${refusals === 1 ? "was" : "were"} refused.`
        : ""}
    </p>
  );
}

function titleOf({ count, is_more }: Preview, keeps: boolean): string {
  const events = `${is_more ? "more than " : ""}${plural(count, "event")}`;
  return keeps ? `Move ${events} to ClickHouse?` : `Delete ${events}?`;
}

/** For how long events are kept: a saved change deletes with the next daily run. */
export function RetentionCard({ project, state, access, actions }: Props) {
  const [stored] = useState(() => draftOf(project.event_retention));
  const [draft, setDraft] = useState(stored);
  const [problem, setProblem] = useState<string>();
  const [checking, setChecking] = useState(false);
  const [preview, setPreview] = useState<Preview>();
  const events = useSeenEvents(String(project.id));
  const dirty = JSON.stringify(retentionOf(draft)) !== JSON.stringify(retentionOf(stored));
  const release = useUnsavedGuard(dirty);
  const readOnly = !access.may_write;
  const offersClickHouse = state.can_keep_in_clickhouse || stored.keeps;
  const stopsKeeping =
    stored.keeps && !retentionOf(draft)?.keep_in_clickhouse && state.only_in_clickhouse > 0;
  const changeRow = (id: number, part: Partial<Row>) =>
    setDraft({ ...draft, rows: draft.rows.map((row) => (row.id === id ? { ...row, ...part } : row)) });

  async function store(): Promise<string | undefined> {
    const result = await attempt(() =>
      actions.update(String(project.id), { event_retention: retentionOf(draft) }),
    );
    if (!result.ok) return result.error.detail;
    release();
    toast.success("The retention of events was saved");
    return undefined;
  }

  async function save() {
    if (readOnly || !dirty) return;
    const wrong = problemOf(draft);
    setProblem(wrong);
    if (wrong) return;
    setChecking(true);
    const result = await attempt(() => actions.previewRetention(String(project.id), retentionOf(draft)));
    if (result.ok && result.data.count === 0 && !stopsKeeping) setProblem(await store());
    else if (result.ok) setPreview(result.data);
    else setProblem(result.error.detail);
    setChecking(false);
  }
  return (
    <Card
      id="retention"
      className="scroll-mt-16"
      title="Retention of events"
      description="Older events are deleted once a day. Figures, people and answers to surveys stay."
      footer={
        <Permit access={access}>
          <Button
            variant="primary"
            loading={checking}
            disabled={access.may_write && !dirty}
            onClick={save}
            {...refused(access)}
          >
            Save retention
          </Button>
        </Permit>
      }
    >
      <div className="flex flex-col gap-4">
        <Field label="Keep events for" description="Leave it empty to keep them forever.">
          <DaysInput
            value={draft.days}
            readOnly={readOnly}
            onChange={(days) => setDraft({ ...draft, days })}
          />
        </Field>
        {draft.rows.length > 0 ? (
          <ul aria-label="Events that are kept for another time" className="flex flex-col gap-2">
            {draft.rows.map((row) => (
              <li key={row.id} className="flex flex-wrap items-center gap-2">
                <Combobox
                  label="Event"
                  className="min-w-0 flex-1 basis-48"
                  value={row.event || null}
                  onValueChange={(event) => changeRow(row.id, { event })}
                  onSearch={events.setSearch}
                  loading={events.loading}
                  options={events.options.filter(({ value }) => !KEPT_EVENTS.includes(value))}
                  freeText="Use event"
                  placeholder="Choose an event"
                  searchPlaceholder="Search events"
                  disabled={readOnly}
                />
                <DaysInput
                  value={row.days}
                  label={`Days that ${row.event || "the event"} is kept`}
                  readOnly={readOnly}
                  onChange={(days) => changeRow(row.id, { days })}
                />
                {readOnly ? null : (
                  <IconButton
                    icon={X}
                    size="sm"
                    label={`Remove ${row.event || "the event"}`}
                    onClick={() => setDraft({ ...draft, rows: draft.rows.filter(({ id }) => id !== row.id) })}
                  />
                )}
              </li>
            ))}
          </ul>
        ) : null}
        {readOnly ? null : (
          <Button
            size="sm"
            className="self-start"
            icon={Plus}
            onClick={() => {
              const id = Math.max(0, ...draft.rows.map((row) => row.id)) + 1;
              setDraft({ ...draft, rows: [...draft.rows, { id, event: "", days: "30" }] });
            }}
          >
            Add an exception for an event
          </Button>
        )}
        {offersClickHouse ? (
          <Checkbox
            label="Keep older events in ClickHouse"
            description="They leave PostgreSQL once ClickHouse has them; lists and exports go on reading them from there."
            checked={draft.keeps}
            disabled={readOnly || retentionOf(draft) === null}
            onCheckedChange={(checked) => setDraft({ ...draft, keeps: checked === true })}
          />
        ) : null}
        <FieldError>{problem}</FieldError>
        <Deleted state={state} />
      </div>
      {preview ? (
        <ConfirmDialog
          open
          onOpenChange={(open) => !open && setPreview(undefined)}
          title={titleOf(preview, draft.keeps)}
          description={
            draft.keeps
              ? "They leave PostgreSQL with the next daily run, and stay in ClickHouse."
              : "They are deleted with the next daily run. This cannot be undone."
          }
          confirmLabel={draft.keeps ? "Save and move" : "Save and delete"}
          danger={!draft.keeps}
          onConfirm={store}
        >
          <div className="flex flex-col gap-2 text-muted text-sm">
            <ul className="list-disc pl-5 text-ink">
              {preview.horizons.map(({ event, deleted_before }) => (
                <li key={event} className="break-words">
                  {event ?? (preview.horizons.length > 1 ? "All other events" : "All events")} from before{" "}
                  {formatFullDay(Date.parse(deleted_before))}
                </li>
              ))}
            </ul>
            <p>
              Figures, people and answers to surveys stay. Cohorts of people who did something no longer find
              what they did before, and figures of experiments that have ended cannot be computed again.
            </p>
            {stopsKeeping ? (
              <p>
                {plural(state.only_in_clickhouse, "older event is", "older events are")} only in ClickHouse.
                From the next daily run on, whatever is older than the days above is deleted there, too.
              </p>
            ) : null}
            {preview.kept_for.map(({ name, from }) => (
              <p key={name + from}>
                Events that the running {name} reads are kept from {formatFullDay(Date.parse(from))} until it
                has ended.
              </p>
            ))}
          </div>
        </ConfirmDialog>
      ) : null}
    </Card>
  );
}
