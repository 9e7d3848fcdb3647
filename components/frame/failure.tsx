"use client";

import { RotateCw } from "lucide-react";
import { Button, ButtonLink } from "#components/ui/button.tsx";

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
        <Button variant="primary" icon={RotateCw} onClick={retry}>
          Try again
        </Button>
        <ButtonLink href="/">Go to the home page</ButtonLink>
      </div>
      {digest ? <p className="font-mono text-faint text-xs">{digest}</p> : null}
    </div>
  );
}
