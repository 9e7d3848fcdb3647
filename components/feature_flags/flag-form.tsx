"use client";

import { CalendarClock, GitPullRequest, type LucideIcon } from "lucide-react";
import { memo, useCallback, useMemo, useState } from "react";
import { FormProvider } from "react-hook-form";
import { type Example, FiltersProvider } from "#components/conditions/editor/filters-context.tsx";
import { InWords } from "#components/feature_flags/detail/in-words.tsx";
import type { Access } from "#components/kit/access.tsx";
import { ChangedMeanwhile } from "#components/kit/editor/changed-meanwhile.tsx";
import { DraftNote } from "#components/kit/editor/draft-note.tsx";
import { SaveBar } from "#components/kit/editor/save-bar.tsx";
import { useSettled } from "#components/kit/use-settled.ts";
import { later } from "#components/ui/after-page.ts";
import { Button } from "#components/ui/button.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { listFlagDifferences } from "#lib/flags/feature_flags/history/differences.ts";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import { FormColumn } from "./form-column.tsx";
import { type FlagBody, sentDraftOf } from "./form-values.ts";
import { useEditing } from "./use-editing.ts";
import { type FlagFormOptions, useFlagForm } from "./use-flag-form.ts";
import { useProof } from "./use-proof.ts";

const SaveDialog = later(async () => (await import("./save-dialog.tsx")).SaveDialog);

const ScheduleDialog = later(async () => (await import("./schedules/schedule-dialog.tsx")).ScheduleDialog);

const ProposeDialog = later(async () => (await import("./changes/propose-dialog.tsx")).ProposeFlagDialog);

const FlagConflictDialog = later(
  async () => (await import("#components/feature_flags/changes/conflict-dialog.tsx")).FlagConflictDialog,
);

const TestPanel = later(async () => (await import("#components/feature_flags/tester/tester.tsx")).TestPanel);

const ReplayDraft = later(
  async () => (await import("#components/feature_flags/replay/replay-draft.tsx")).ReplayDraft,
);

const WhoChanges = later(
  async () => (await import("#components/conditions/who_changes/who-changes.tsx")).WhoChanges,
);

type Props = FlagFormOptions & {
  names: Names;
  access: Access;
  /** The project's time zone, in which changes of a stored flag are scheduled. */
  timezone?: string;
};

/** Creates or edits a flag: one form on the API's schema. */
export function FlagForm(props: Props) {
  const { projectId, flag, access, revision, timezone = "UTC" } = props;
  const flagForm = useFlagForm(props);
  const { form, base, body, dirty, saving } = flagForm;
  const { announcement, ...editing } = useEditing(form, body.filters, props.names);
  const served = useServed(body);
  const { value: settled, settled: isSettled } = useSettled(served, served);
  const proven = useProof(projectId, flag?.id ?? null, settled, isSettled, editing.warnings);
  const example = useExample(editing.announce);
  const [confirming, setConfirming] = useState<"save" | "schedule" | "propose">();
  const [jsonReadable, setJsonReadable] = useState(true);
  const readOnly = !access.may_write;
  // The switch in the header takes effect immediately, regardless of the form.
  const active = flag ? flag.active : body.active === true;
  return (
    <FormProvider {...form}>
      <FiltersProvider
        value={{
          ...editing,
          ...proven,
          projectId,
          flagId: flag?.id ?? null,
          readOnly,
          showExample: example.show,
        }}
      >
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (!readOnly)
              void flagForm.check(jsonReadable, () => setConfirming(revision ? "propose" : "save"));
          }}
          className="grid items-start gap-x-6 gap-y-5 lg:grid-cols-[minmax(0,1fr)_20rem] xl:grid-cols-[minmax(0,1fr)_23rem]"
        >
          {flagForm.offer && !readOnly ? (
            <div className="lg:col-span-2">
              <DraftNote offer={flagForm.offer}>
                {flagForm.offerIsOlder
                  ? "The flag was changed since. Restoring overwrites nothing: where both changed the same, you choose on saving."
                  : null}
              </DraftNote>
            </div>
          ) : null}
          <FormColumn key={flagForm.revision} flag={flag} onReadable={setJsonReadable} />
          <aside className="flex min-w-0 flex-col gap-5 lg:sticky lg:top-4" aria-label="About this flag">
            <Aside
              {...{ projectId, flag, access, active, dirty }}
              body={settled}
              counts={jsonReadable && active && (flag === null || flagForm.changes.filters !== undefined)}
              names={editing.names}
              actions={props.actions}
              example={example.shown}
            />
          </aside>
          {flagForm.newer && !readOnly ? (
            <div className="sticky bottom-16 z-20 rounded-lg shadow-pop lg:col-start-1">
              <ChangedMeanwhile noun="flag" newer={flagForm.newer} onLoad={flagForm.loadNewer} />
            </div>
          ) : null}
          {readOnly ? null : (
            <SaveBar
              isNew={flag === null}
              label={saveLabel(flag !== null, revision !== undefined)}
              shortcut={{ label: flag ? "Save changes" : "Create the flag", group: "Feature flags" }}
              className="lg:col-start-1"
              dirty={dirty || !jsonReadable}
              saving={saving.saving}
              onDiscard={base ? flagForm.discard : undefined}
            >
              {dirty && !revision ? (
                <OtherWays
                  isStored={flag !== null}
                  onChoose={(way) => void flagForm.check(jsonReadable, () => setConfirming(way))}
                />
              ) : null}
            </SaveBar>
          )}
        </form>
        <span aria-live="polite" className="sr-only">
          {announcement}
        </span>
        <Confirming
          {...{ confirming, projectId, timezone, flagForm, active, revision }}
          names={editing.names}
          actions={props.actions}
          onClose={() => setConfirming(undefined)}
        />
        {saving.conflict && base ? (
          <FlagConflictDialog
            base={base}
            {...saving.conflict}
            names={editing.names}
            saving={saving}
            onSave={saving.saveMerged}
          />
        ) : null}
      </FiltersProvider>
    </FormProvider>
  );
}

type ConfirmingProps = Pick<FlagFormOptions, "projectId" | "actions" | "revision"> & {
  confirming: "save" | "schedule" | "propose" | undefined;
  timezone: string;
  flagForm: ReturnType<typeof useFlagForm>;
  active: boolean;
  names: Names;
  onClose: () => void;
};

/** Confirms what is done with the changes of the form: saving, scheduling or proposing them. */
function Confirming({
  confirming,
  timezone,
  flagForm,
  active,
  actions,
  revision,
  ...dialog
}: ConfirmingProps) {
  const { base, body, changes } = flagForm;
  const stored = base && { ...base, active };
  // Filters that were not touched are not sent: they are shown as they are stored.
  const after = { ...body, active, ...(base && !changes.filters && { filters: base.filters }) };
  if (confirming === "save")
    return <SaveDialog {...dialog} stored={stored} body={after} onConfirm={flagForm.save} />;
  if (confirming === "schedule")
    return (
      <FormSchedule
        {...dialog}
        {...{ timezone, base, body, active, actions, changes }}
        onScheduled={flagForm.discard}
      />
    );
  if (confirming === "propose")
    return (
      <ProposeDialog
        {...dialog}
        {...{ actions, changes, revision }}
        base={stored}
        body={after}
        onProposed={flagForm.leave}
      />
    );
  return null;
}

/** An example that was last asked for; the same one may be asked for again. */
type Shown = { person: Example; times: number };

function useExample(announce: (text: string) => void) {
  const [shown, setShown] = useState<Shown>();
  const show = useCallback(
    (person: Example) => {
      setShown((before) => ({ person, times: (before?.times ?? 0) + 1 }));
      announce(`The example ${person.distinct_id} is tested`);
    },
    [announce],
  );
  return { shown, show };
}

const saveLabel = (isStored: boolean, isRevision: boolean): string => {
  if (isRevision) return "Revise request…";
  return isStored ? "Save changes…" : "Create flag";
};

type OtherWaysProps = { isStored: boolean; onChoose: (way: "schedule" | "propose") => void };

/** What can be done with the edits besides saving them. */
const OtherWays = ({ isStored, onChoose }: OtherWaysProps) => (
  <>
    {isStored ? (
      <AsideButton icon={CalendarClock} label="Schedule…" onClick={() => onChoose("schedule")} />
    ) : null}
    <AsideButton icon={GitPullRequest} label="Propose…" onClick={() => onChoose("propose")} />
  </>
);

type AsideButtonProps = { icon: LucideIcon; label: string; onClick: () => void };

/** What can be done instead of saving now. */
const AsideButton = ({ icon, label, onClick }: AsideButtonProps) => (
  <Button icon={icon} onClick={onClick}>
    <span className="max-sm:sr-only">{label}</span>
  </Button>
);

type FormScheduleProps = Pick<FlagFormOptions, "projectId" | "actions"> & {
  timezone: string;
  base: FlagRecord | null;
  body: FlagBody;
  active: boolean;
  changes: Partial<FlagBody>;
  names: Names;
  onClose: () => void;
  onScheduled: () => void;
};

/** Schedules the changes of the form: those fields alone, for others may change the rest until then. */
function FormSchedule({ base, body, active, changes, names, ...dialog }: FormScheduleProps) {
  if (!base) return null;
  const { key, filters } = changes;
  const after = { ...body, active, filters: filters ?? base.filters };
  return (
    <ScheduleDialog
      {...dialog}
      flag={{ id: base.id, key: base.key, active }}
      form={{
        payload: { operation: "update", value: changes },
        recurs: true,
        proposed: { id: base.id, key, active, filters },
        counts: key !== undefined || filters !== undefined,
        differences: listFlagDifferences({ ...base, active }, after, names),
      }}
    />
  );
}

/** The body, the same object until something changes that decides what people get. */
function useServed(body: FlagBody): FlagBody {
  const { key, filters, active, is_remote_configuration, has_encrypted_payloads } = body;
  const continuity = body.ensure_experience_continuity;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the description and the tags decide nothing
  return useMemo(
    () => body,
    [key, filters, active, is_remote_configuration, has_encrypted_payloads, continuity],
  );
}

type AsideProps = Pick<Props, "projectId" | "flag" | "names" | "access" | "actions"> & {
  body: FlagBody;
  active: boolean;
  dirty: boolean;
  /** Whether a save would change who gets what. */
  counts: boolean;
  example: Shown | undefined;
};

/** What the edited flag does. It follows the form a moment after the last key, so that typing never waits for it. */
const Aside = memo(function Aside({ body, counts, active, names, example, ...of }: AsideProps) {
  const { projectId, flag } = of;
  return (
    <>
      <InWords body={body} names={names} active={active} />
      {counts ? (
        <Card title="If you save" description="Counted on the people stored now.">
          <WhoChanges
            projectId={projectId}
            proposed={{ id: flag?.id ?? null, key: body.key, active, filters: body.filters }}
          />
        </Card>
      ) : null}
      {flag && of.dirty ? (
        <Card title="Past calls" description="How this draft would have answered recorded calls.">
          <ReplayDraft
            projectId={projectId}
            request={{ id: flag.id, draft: sentDraftOf(body, active, flag) }}
          />
        </Card>
      ) : null}
      <TestPanel key={example?.times} {...of} body={body} names={names} example={example?.person} />
    </>
  );
});
