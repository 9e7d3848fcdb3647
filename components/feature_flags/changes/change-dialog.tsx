"use client";

import { type ReactNode, useEffect, useRef } from "react";
import { ConsequencesNote } from "#components/conditions/who_changes/consequences-list.tsx";
import {
  type Effects,
  type Proposed,
  useWhoChanges,
} from "#components/conditions/who_changes/use-who-changes.ts";
import { CountedChanges } from "#components/conditions/who_changes/who-changes.tsx";
import { ConfirmOrPropose } from "#components/kit/propose/confirm-or-propose.tsx";
import type { Proposal } from "#components/kit/propose/propose-dialog.tsx";
import { askToSignIn, useSessionState } from "#components/kit/session.ts";
import { Callout } from "#components/ui/display/callout.tsx";

/** A flag of a change, and what is known of the change; null: not yet. */
type FlagEffects = { key: string; effects: Effects | null };

type DialogProps = {
  title: ReactNode;
  description?: ReactNode;
  confirmLabel: string;
  danger?: boolean;
  /** The same as a proposal; absent where it cannot be one. */
  proposal?: Proposal | undefined;
  onClose: () => void;
  onConfirm: () => Promise<string | undefined> | string | undefined;
  children: ReactNode;
};

/** Whether a change needs protection against mistakes. */
const needsTyping = ({ effects }: FlagEffects): boolean =>
  effects !== null && (effects.reaches_everyone || effects.consequences.some((each) => each.ends_comparison));

/** What has to be typed: the key of the one flag concerned, or how many there are. */
function typedFor(flags: readonly FlagEffects[]): string | undefined {
  const [first, ...rest] = flags;
  if (!first) return undefined;
  return rest.length === 0 ? first.key : `${flags.length} flags`;
}

type ConfirmProps = DialogProps & {
  flags: readonly FlagEffects[];
  /** Whether the effects could not be read: then the change is confirmed as if it had the worst of them. */
  failed: boolean;
};

/**
 * Asks before flags change. A change that puts a flag on for everyone or interrupts a running experiment has to be
 * typed; one that the API would refuse cannot be confirmed.
 */
export function ConfirmChange({ flags, failed, onClose, ...dialog }: ConfirmProps) {
  const possible = flags.filter(({ effects }) => effects === null || effects.refusal === null);
  const waiting = !failed && flags.some(({ effects }) => effects === null);
  const hasEnded = useSessionState() === "ended";
  const asked = useRef(false);
  // The effects cannot be read then.
  useEffect(() => {
    if (hasEnded && !asked.current) void askToSignIn();
    asked.current ||= hasEnded;
  }, [hasEnded]);
  return (
    <ConfirmOrPropose
      {...dialog}
      onClose={onClose}
      typeToConfirm={typedFor(failed ? possible : possible.filter(needsTyping))}
      blocked={waiting || (flags.length > 0 && possible.length === 0)}
    />
  );
}

type Props = DialogProps & {
  projectId: string;
  flagKey: string;
  proposed: Proposed;
  /** Whether the change can concern anybody; a new flag that is off cannot. */
  counts?: boolean;
  /** Shown in place of the people who change; null: nothing is. */
  instead?: ReactNode;
  /** Heading of the people who change. */
  heading?: string;
};

/** Asks before one flag changes, showing the effect on running experiments and surveys, and whose value changes. */
export function ChangeDialog(props: Props) {
  const { projectId, flagKey, proposed, counts = true, instead, heading, children, ...dialog } = props;
  const counted = useWhoChanges(projectId, proposed, counts);
  const effects = effectsOf(counted);
  return (
    <ConfirmChange
      {...dialog}
      flags={counts ? [{ key: flagKey, effects }] : []}
      failed={counted.state === "failed"}
    >
      {children}
      {effects?.refusal ? (
        <Callout tone="danger" title="This flag cannot be deleted" live>
          {effects.refusal}
        </Callout>
      ) : null}
      <ConsequencesNote projectId={projectId} consequences={effects?.consequences ?? []} />
      {effects?.refusal || instead === null ? null : (
        <section aria-label="Who is affected" className="flex flex-col gap-1.5">
          {heading ? <h3 className="font-medium text-sm">{heading}</h3> : null}
          {instead ?? <CountedChanges projectId={projectId} proposed={proposed} counted={counted} />}
        </section>
      )}
    </ConfirmChange>
  );
}

/** What is known of a change, which is everything as soon as counting has begun. */
function effectsOf(counted: ReturnType<typeof useWhoChanges>): Effects | null {
  if (counted.state === "counted") return counted.found;
  return ("part" in counted && counted.part?.answer) || null;
}
