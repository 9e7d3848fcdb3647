"use client";

import { Download, Power, PowerOff, Tags, Trash2, X } from "lucide-react";
import type { Route } from "next";
import { useState } from "react";
import { Sentence } from "#components/conditions/sentence.tsx";
import { ConsequencesList } from "#components/conditions/who_changes/consequences-list.tsx";
import { Count } from "#components/conditions/who_changes/count.tsx";
import { useBulkWhoChanges } from "#components/conditions/who_changes/use-who-changes.ts";
import { DependentChanges } from "#components/conditions/who_changes/who-changes.tsx";
import { ConfirmChange } from "#components/feature_flags/changes/change-dialog.tsx";
import type { ListItem } from "#components/feature_flags/list-item.ts";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import { ChipsInput } from "#components/ui/form/chips-input.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { BulkWhoChangesAnswer } from "#lib/flags/feature_flags/who_changes/who-changes-contract.ts";
import { formatCount } from "#lib/platform/format.ts";
import { useFacets } from "./use-facets.ts";
import type { BulkChange, BulkProblems, useFlagChanges } from "./use-flag-changes.ts";

export type BulkAction = "on" | "off" | "tag" | "delete";
type Many = ReturnType<typeof useFlagChanges>["many"];

type BarProps = {
  count: number;
  onAction: (action: BulkAction) => void;
  onExport: () => Promise<void>;
  onClear: () => void;
};

/** Actions on the selected flags; stays visible at the bottom. */
export function BulkBar({ count, onAction, onExport, onClear }: BarProps) {
  const [exporting, setExporting] = useState(false);
  async function save() {
    setExporting(true);
    await onExport();
    setExporting(false);
  }
  return (
    <section
      aria-label="Selected flags"
      className="sticky bottom-3 z-20 mx-auto mt-3 flex w-fit max-w-full flex-wrap items-center gap-1 rounded-lg bg-raised p-1.5 pl-3 shadow-pop"
    >
      <p aria-live="polite" className="tabular mr-2 font-medium text-sm">
        {count} selected
      </p>
      <Button size="sm" variant="ghost" icon={Power} onClick={() => onAction("on")}>
        Turn on
      </Button>
      <Button size="sm" variant="ghost" icon={PowerOff} onClick={() => onAction("off")}>
        Turn off
      </Button>
      <Button size="sm" variant="ghost" icon={Tags} onClick={() => onAction("tag")}>
        Add tags
      </Button>
      <Button size="sm" variant="ghost" icon={Download} loading={exporting} onClick={() => void save()}>
        Export
      </Button>
      <Button size="sm" variant="danger-ghost" icon={Trash2} onClick={() => onAction("delete")}>
        Delete
      </Button>
      <IconButton size="sm" icon={X} label="Clear the selection" onClick={onClear} />
    </section>
  );
}

const unionOf = (tags: readonly string[], more: readonly string[]) => [...new Set([...tags, ...more])];

function changeOf(action: BulkAction, flags: readonly ListItem[], tags: readonly string[]): BulkChange {
  if (action === "tag")
    return {
      targets: flags.filter((flag) => unionOf(flag.tags, tags).length > flag.tags.length),
      bodyFor: (flag) => ({ tags: unionOf(flag.tags, tags) }),
      undoFor: (flag) => ({ tags: flag.tags }),
      shown: {},
      done: `tagged ${tags.join(", ")}`,
    };
  if (action === "delete")
    return {
      targets: flags,
      bodyFor: () => ({ deleted: true }),
      undoFor: () => ({ deleted: false }),
      shown: "gone",
      done: "deleted",
    };
  const active = action === "on";
  return {
    targets: flags.filter((flag) => flag.active !== active),
    bodyFor: () => ({ active }),
    undoFor: () => ({ active: !active }),
    shown: { active },
    done: active ? "turned on" : "turned off",
  };
}

const TITLES: Record<BulkAction, (count: string) => string> = {
  on: (count) => `Turn on ${count}?`,
  off: (count) => `Turn off ${count}?`,
  tag: (count) => `Add tags to ${count}`,
  delete: (count) => `Delete ${count}?`,
};
const LABELS: Record<BulkAction, string> = {
  on: "Turn on",
  off: "Turn off",
  tag: "Add tags",
  delete: "Delete",
};
const WORDS: Record<BulkAction, string> = {
  on: "From now on, each follows its release conditions:",
  off: "From now on, these are off for everyone. Their release conditions are kept.",
  tag: "Existing tags are kept.",
  delete: "They are no longer served: SDKs get no value for them. You can undo this.",
};

type DialogProps = {
  projectId: string;
  action: BulkAction;
  flags: readonly ListItem[];
  many: Many;
  onClose: () => void;
  /** Called with what did not work, when something did not. */
  onDone: (problems: BulkProblems) => void;
};

const flagsText = (count: number) => `${count} ${count === 1 ? "flag" : "flags"}`;

/** Asks before several flags change, naming each. */
export function BulkDialog(props: DialogProps) {
  return props.action === "tag" ? (
    <TagDialog {...props} />
  ) : (
    <ChangeAllDialog {...props} action={props.action} />
  );
}

function TagDialog({ projectId, flags, many, onClose, onDone }: DialogProps) {
  const [tags, setTags] = useState<string[]>([]);
  const facets = useFacets(projectId, true);
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={TITLES.tag(flagsText(flags.length))}
      description={WORDS.tag}
      confirmLabel={LABELS.tag}
      onConfirm={async () => {
        if (tags.length === 0) return "Enter at least one tag.";
        onDone(await many(changeOf("tag", flags, tags)));
        return undefined;
      }}
    >
      <Field label="Tags">
        <ChipsInput
          values={tags}
          onValuesChange={(next) => setTags(next.map((tag) => tag.toLowerCase()))}
          options={facets.data?.tags.map(({ name, count }) => ({ value: name, hint: count })) ?? []}
          freeText="Create tag"
          placeholder="billing, growth…"
        />
      </Field>
      <ul className={LIST_LOOK}>
        {flags.map((flag) => (
          <li key={flag.id} className="break-words px-3 py-1.5 font-medium">
            {flag.key}
          </li>
        ))}
      </ul>
    </ConfirmDialog>
  );
}

const LIST_LOOK = "max-h-64 divide-y overflow-y-auto rounded-md border bg-sunken text-xs scroll-thin";

type BulkFlag = BulkWhoChangesAnswer["flags"][number];

/** Turns on, turns off or deletes, showing whose value changes and what else is affected. */
function ChangeAllDialog({
  projectId,
  action,
  flags,
  many,
  onClose,
  onDone,
}: DialogProps & { action: Exclude<BulkAction, "tag"> }) {
  const change = changeOf(action, flags, []);
  const { targets } = change;
  const body = action === "delete" ? { deleted: true } : { active: action === "on" };
  const proposed = targets.map(({ id }) => ({ id, ...body }));
  const counted = useBulkWhoChanges(projectId, proposed, targets.length > 0);
  const known =
    counted.state === "counted" ? counted.found : "part" in counted ? counted.part?.answer : undefined;
  const effects = new Map(known?.flags.map((flag) => [flag.id, flag]));
  const refused = known?.flags.filter((flag) => flag.refusal !== null).length ?? 0;
  const possible = targets.length - refused;
  // The API returns the order in which dependent flags can be deleted.
  const ordered = known
    ? known.flags.flatMap(({ id, refusal }) =>
        refusal === null ? (targets.find((flag) => flag.id === id) ?? []) : [],
      )
    : targets;
  const unaffected = flags.length - targets.length;
  return (
    <ConfirmChange
      title={TITLES[action](flagsText(targets.length))}
      description={WORDS[action]}
      confirmLabel={refused > 0 ? `${LABELS[action]} ${flagsText(possible)}` : LABELS[action]}
      danger={action !== "on"}
      flags={targets.map(({ id, key }) => ({ key, effects: effects.get(id) ?? null }))}
      failed={counted.state === "failed"}
      onClose={onClose}
      onConfirm={async () => {
        onDone(await many({ ...change, targets: ordered }));
        return undefined;
      }}
    >
      {targets.length === 0 ? null : (
        <>
          <BulkCount counted={counted} />
          {refused > 0 ? (
            <Callout tone="danger" live>
              {flagsText(refused)} cannot be deleted; see below.
            </Callout>
          ) : null}
          <ul className={LIST_LOOK} aria-label="Flags that change">
            {targets.map((flag) => (
              <BulkLine
                key={flag.id}
                projectId={projectId}
                flag={flag}
                showsRollout={action === "on"}
                found={effects.get(flag.id)}
                isCounted={counted.state === "counted"}
              />
            ))}
          </ul>
        </>
      )}
      {counted.state === "counted" ? <DependentChanges dependents={counted.found.dependents} /> : null}
      {unaffected > 0 ? (
        <p className="text-muted text-xs">
          {unaffected} of the selected flags {unaffected === 1 ? "is" : "are"} already {action}.
        </p>
      ) : null}
    </ConfirmChange>
  );
}

/** For how many people any of the flags changes. */
const BulkCount = ({ counted }: { counted: ReturnType<typeof useBulkWhoChanges> }) => (
  <Count label="Counting whose value changes" counted={counted} soFar={changedSoFar}>
    {({ people: { total, changed } }) => {
      if (total === 0) return null;
      if (changed === 0) return <p className="text-sm">Nobody’s value changes.</p>;
      return (
        <p className="text-sm">
          <strong className="tabular font-semibold">{formatCount(changed)}</strong> of{" "}
          <span className="tabular">{formatCount(total)}</span> people get a different value for at least one
          flag.
        </p>
      );
    }}
  </Count>
);

const changedSoFar = ({ people }: BulkWhoChangesAnswer) =>
  `${formatCount(people.changed)} get a different value for at least one flag`;

type LineProps = {
  projectId: string;
  flag: ListItem;
  showsRollout: boolean;
  found: BulkFlag | undefined;
  isCounted: boolean;
};

function BulkLine({ projectId, flag, showsRollout, found, isCounted }: LineProps) {
  const unit = found?.group_type_index === null ? "people" : "groups";
  const interrupts = found?.consequences.some((each) => each.ends_comparison);
  return (
    <li className="flex flex-col gap-0.5 px-3 py-1.5">
      <span className="flex items-baseline justify-between gap-3">
        <span className="min-w-0 break-words font-medium">{flag.key}</span>
        {found && isCounted && found.refusal === null ? (
          <span className="tabular shrink-0 text-muted">
            {found.changed === 0 ? "no change" : `${formatCount(found.changed)} ${unit}`}
          </span>
        ) : null}
      </span>
      {showsRollout ? <Sentence tokens={flag.rollout} className="text-muted" /> : null}
      {found?.reaches_everyone ? <span className="text-warning-text">On for everyone.</span> : null}
      {found?.refusal ? <span className="text-danger-text">{found.refusal}</span> : null}
      {found && found.refusal === null && found.consequences.length > 0 ? (
        <div className={interrupts ? "text-danger-text" : "text-warning-text"}>
          <ConsequencesList projectId={projectId} consequences={found.consequences} />
        </div>
      ) : null}
    </li>
  );
}

type NoteProps = { projectId: string; outcome: BulkProblems; onClose: () => void };

/** Which changes of several flags need approval, and which failed, and why. */
export function BulkProblemsNote({ projectId, outcome, onClose }: NoteProps) {
  const { done, succeeded, problems } = outcome;
  const held = problems.filter(({ request }) => request !== null);
  const failed = problems.length - held.length;
  const all = problems.length + succeeded;
  return (
    <Callout
      tone={failed === 0 ? "info" : succeeded > 0 ? "warning" : "danger"}
      live
      className="mb-3"
      title={
        failed === 0
          ? `${held.length} of ${all} flags need approval to be ${done}`
          : `${failed} of ${all} flags could not be ${done}${held.length > 0 ? `, ${held.length} need approval` : ""}`
      }
      actions={
        <Button size="sm" onClick={onClose}>
          Dismiss
        </Button>
      }
    >
      <ul className="mt-1 flex flex-col gap-1">
        {problems.map((problem) => (
          <li key={problem.key}>
            <span className="font-medium text-ink">{problem.key}</span>:{" "}
            {problem.request === null ? (
              problem.detail
            ) : (
              <TextLink href={`/project/${projectId}/change_requests/${problem.request}` as Route}>
                change request
              </TextLink>
            )}
          </li>
        ))}
      </ul>
    </Callout>
  );
}
