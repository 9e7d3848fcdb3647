"use client";

import { Download, Power, PowerOff, Tags, Trash2, X } from "lucide-react";
import { useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { Callout } from "#components/ui/callout.tsx";
import { ChipsInput } from "#components/ui/chips-input.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { Field } from "#components/ui/field.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import type { ListItem } from "./list_item.ts";
import { Sentence } from "./sentence.tsx";
import { useFacets } from "./use_facets.ts";
import type { BulkChange, BulkProblems, useFlagChanges } from "./use_flag_changes.ts";

export type Deed = "on" | "off" | "tag" | "delete";
type Many = ReturnType<typeof useFlagChanges>["many"];

type BarProps = {
  count: number;
  onDeed: (deed: Deed) => void;
  onExport: () => Promise<void>;
  onClear: () => void;
};

/** What can be done to the selected flags; stays in sight at the bottom. */
export function BulkBar({ count, onDeed, onExport, onClear }: BarProps) {
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
      <Button size="sm" variant="ghost" icon={Power} onClick={() => onDeed("on")}>
        Turn on
      </Button>
      <Button size="sm" variant="ghost" icon={PowerOff} onClick={() => onDeed("off")}>
        Turn off
      </Button>
      <Button size="sm" variant="ghost" icon={Tags} onClick={() => onDeed("tag")}>
        Add tags
      </Button>
      <Button size="sm" variant="ghost" icon={Download} loading={exporting} onClick={() => void save()}>
        Export
      </Button>
      <Button size="sm" variant="danger-ghost" icon={Trash2} onClick={() => onDeed("delete")}>
        Delete
      </Button>
      <IconButton size="sm" icon={X} label="Clear the selection" onClick={onClear} />
    </section>
  );
}

const unionOf = (tags: readonly string[], more: readonly string[]) => [...new Set([...tags, ...more])];

function changeOf(deed: Deed, flags: readonly ListItem[], tags: readonly string[]): BulkChange {
  if (deed === "tag")
    return {
      targets: flags.filter((flag) => unionOf(flag.tags, tags).length > flag.tags.length),
      bodyFor: (flag) => ({ tags: unionOf(flag.tags, tags) }),
      undoFor: (flag) => ({ tags: flag.tags }),
      shown: {},
      done: `tagged ${tags.join(", ")}`,
    };
  if (deed === "delete")
    return {
      targets: flags,
      bodyFor: () => ({ deleted: true }),
      undoFor: () => ({ deleted: false }),
      shown: "gone",
      done: "deleted",
    };
  const active = deed === "on";
  return {
    targets: flags.filter((flag) => flag.active !== active),
    bodyFor: () => ({ active }),
    undoFor: () => ({ active: !active }),
    shown: { active },
    done: active ? "turned on" : "turned off",
  };
}

const TITLES: Record<Deed, (count: string) => string> = {
  on: (count) => `Turn on ${count}?`,
  off: (count) => `Turn off ${count}?`,
  tag: (count) => `Add tags to ${count}`,
  delete: (count) => `Delete ${count}?`,
};
const LABELS: Record<Deed, string> = { on: "Turn on", off: "Turn off", tag: "Add tags", delete: "Delete" };
const WORDS: Record<Deed, string> = {
  on: "From now on each answers as its release conditions say:",
  off: "From now on these answer off for everyone. Their release conditions stay.",
  tag: "The tags that the flags already have stay.",
  delete: "They stop being served at once: SDKs get no answer for them. You can undo this.",
};

type DialogProps = {
  projectId: string;
  deed: Deed;
  flags: readonly ListItem[];
  many: Many;
  onClose: () => void;
  /** Called with what did not work, when something did not. */
  onDone: (problems: BulkProblems) => void;
};

/** Asks before several flags change, naming each. */
export function BulkDialog({ projectId, deed, flags, many, onClose, onDone }: DialogProps) {
  const [tags, setTags] = useState<string[]>([]);
  const facets = useFacets(projectId, deed === "tag");
  const change = changeOf(deed, flags, tags);
  const affected = deed === "tag" ? flags : change.targets;
  const unaffected = flags.length - affected.length;
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={TITLES[deed](`${affected.length} ${affected.length === 1 ? "flag" : "flags"}`)}
      description={WORDS[deed]}
      confirmLabel={LABELS[deed]}
      danger={deed === "delete" || deed === "off"}
      onConfirm={async () => {
        if (deed === "tag" && tags.length === 0) return "Name at least one tag.";
        onDone(await many(change));
        return undefined;
      }}
    >
      {deed === "tag" ? (
        <Field label="Tags">
          <ChipsInput
            values={tags}
            onValuesChange={(next) => setTags(next.map((tag) => tag.toLowerCase()))}
            options={facets.data?.tags.map(({ name, count }) => ({ value: name, hint: count })) ?? []}
            freeText="Create tag"
            placeholder="billing, growth…"
          />
        </Field>
      ) : null}
      <ul className="max-h-52 divide-y overflow-y-auto rounded-md border bg-sunken text-xs scroll-thin">
        {affected.map((flag) => (
          <li key={flag.id} className="flex flex-col px-3 py-1.5">
            <span className="break-words font-medium">{flag.key}</span>
            {deed === "on" ? <Sentence tokens={flag.rollout} className="text-muted" /> : null}
          </li>
        ))}
      </ul>
      {unaffected > 0 ? (
        <p className="text-muted text-xs">
          {unaffected} of the selected {unaffected === 1 ? "flag is" : "flags are"} already {deed} and{" "}
          {unaffected === 1 ? "stays" : "stay"} as it is.
        </p>
      ) : null}
    </ConfirmDialog>
  );
}

/** What of a change to several flags did not work, and why. */
export function BulkProblemsNote({ outcome, onClose }: { outcome: BulkProblems; onClose: () => void }) {
  const { done, succeeded, problems } = outcome;
  return (
    <Callout
      tone={succeeded > 0 ? "warning" : "danger"}
      live
      className="mb-3"
      title={`${problems.length} of ${problems.length + succeeded} flags could not be ${done}`}
      actions={
        <Button size="sm" onClick={onClose}>
          Dismiss
        </Button>
      }
    >
      <ul className="mt-1 flex flex-col gap-1">
        {problems.map((problem) => (
          <li key={problem.key}>
            <span className="font-medium text-ink">{problem.key}</span>: {problem.detail}
          </li>
        ))}
      </ul>
    </Callout>
  );
}
