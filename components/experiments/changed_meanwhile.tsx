"use client";

import { personName } from "#components/feature_flags/list_item.ts";
import { Button } from "#components/ui/button.tsx";
import { Callout } from "#components/ui/callout.tsx";
import { RelativeTime } from "#components/ui/relative-time.tsx";
import type { ExperimentRecord } from "#lib/experiments/schema.ts";

/** Tells an editor, before anything is saved, that somebody else has saved a newer version. */
export function ChangedMeanwhile({ news, onLoad }: { news: ExperimentRecord; onLoad: () => void }) {
  const who = personName(news.last_modified_by) ?? "Somebody else";
  return (
    <Callout
      tone="warning"
      live
      title={
        <>
          {who} changed this experiment <RelativeTime date={news.updated_at} />
        </>
      }
      actions={
        <Button size="sm" onClick={onLoad}>
          Load their changes
        </Button>
      }
    >
      What you have edited is kept. If you both changed the same field, you choose which version to keep.
    </Callout>
  );
}
