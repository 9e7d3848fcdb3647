"use client";

import { personName } from "#components/kit/person-name.ts";
import { Button } from "#components/ui/button.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";

type Props = {
  /** What is edited: "experiment". */
  noun: string;
  newer: { last_modified_by: Parameters<typeof personName>[0]; updated_at: string | null };
  onLoad: () => void;
};

/** Warns an editor, before saving, that somebody else has saved a newer version. */
export function ChangedMeanwhile({ noun, newer, onLoad }: Props) {
  const who = personName(newer.last_modified_by) ?? "Someone else";
  return (
    <Callout
      tone="warning"
      live
      title={
        <>
          {who} changed this {noun}
          {newer.updated_at ? (
            <>
              {" "}
              <RelativeTime date={newer.updated_at} />
            </>
          ) : null}
        </>
      }
      actions={
        <Button size="sm" onClick={onLoad}>
          Load their changes
        </Button>
      }
    >
      Your edits are kept. If you both changed the same part, you choose which version to keep.
    </Callout>
  );
}
