"use client";

import { buttonClass } from "#components/ui/button-class.ts";

type FailureProps = {
  /** Names the entry in the server's log. */
  digest?: string | undefined;
  retry: () => void;
};

/** Shown when the server could not render a page. */
export function Failure({ digest, retry }: FailureProps) {
  return (
    <div className="flex flex-col gap-4">
      <p className="max-w-prose text-muted text-sm">
        Something went wrong on the server. Nothing was changed. Try again in a moment; if it keeps failing,
        see the server log{digest ? ", under the number below" : ""}.
      </p>
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
