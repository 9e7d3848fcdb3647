"use client";

import { personName } from "#components/kit/person-name.ts";
import { Button } from "#components/ui/button.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import type { ExperimentRecord } from "#lib/experiments/experiments/schema.ts";

/** Warns an editor, before saving, that somebody else has saved a newer version. */
export function ChangedMeanwhile({ newer, onLoad }: { newer: ExperimentRecord; onLoad: () => void }) {
  const who = personName(newer.last_modified_by) ?? "Somebody else";
  return (
    <Callout
      tone="warning"
      live
      title={
        <>
          {who} changed this experiment <RelativeTime date={newer.updated_at} />
        </>
      }
      actions={
        <Button size="sm" onClick={onLoad}>
          Load their changes
        </Button>
      }
    >
      Your edits are kept. If you both changed the same field, you choose which version to keep.
    </Callout>
  );
}
