"use client";

import { useEffect, useRef, useState } from "react";
import { buttonClass } from "#components/ui/button-class.ts";
import { exactTime } from "#lib/platform/format.ts";

type FailureProps = {
  /** Names the entry in the server's log. */
  digest?: string | undefined;
  retry: () => void;
};

const ASK_EVERY_MS = 2_000;

/** Since when the database has not answered, as far as the server knows; asks on until it does, then calls `onBack`. */
function useOutage(onBack: () => void): string | null {
  const [since, setSince] = useState<string | null>(null);
  const back = useRef(onBack);
  back.current = onBack;
  useEffect(() => {
    let wasAway = false;
    const ask = async () => {
      const answer = await fetch("/readyz").then(
        (response) => response.json() as Promise<{ status: string; since?: string }>,
        () => null,
      );
      if (answer?.status === "degraded") {
        wasAway = true;
        setSince(answer.since ?? null);
      } else if (answer?.status === "ok" && wasAway) back.current();
    };
    void ask();
    const timer = setInterval(() => void ask(), ASK_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return since;
}

/** Shown when the server could not render a page. */
export function Failure({ digest, retry }: FailureProps) {
  const awaySince = useOutage(retry);
  return (
    <div className="flex flex-col gap-4">
      {awaySince ? (
        <p role="status" className="max-w-prose text-muted text-sm">
          The database has not answered since <time dateTime={awaySince}>{exactTime(awaySince, true)}</time>.
          Your apps are still served the flags and surveys as they were then, and events are kept until it is
          back. Nothing can be changed meanwhile. This page loads by itself as soon as the database answers.
        </p>
      ) : (
        <p className="max-w-prose text-muted text-sm">
          Something went wrong on the server. Nothing was changed. Try again in a moment; if it keeps failing,
          see the server log{digest ? ", under the number below" : ""}.
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <button type="button" onClick={retry} className={buttonClass("primary")}>
          Try again
        </button>
        {/* A new start, not a navigation within what has failed. */}
        <a href="/" className={buttonClass()}>
          Go to the home page
        </a>
      </div>
      {digest ? <p className="font-mono text-faint text-xs">{digest}</p> : null}
    </div>
  );
}
