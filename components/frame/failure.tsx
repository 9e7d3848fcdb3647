"use client";

import { RotateCw } from "lucide-react";
import { Button, ButtonLink } from "#components/ui/button.tsx";

type FailureProps = {
  /** Names the entry in the server's log. */
  digest?: string | undefined;
  retry: () => void;
};

/** What can be done when the server could not make a page. */
export function Failure({ digest, retry }: FailureProps) {
  return (
    <div className="flex flex-col gap-4">
      <p className="max-w-prose text-muted text-sm">
        The server did not answer as it should. Nothing was changed. It may work again in a moment; if it does
        not, its log says why{digest ? ", under the number below" : ""}.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" icon={RotateCw} onClick={retry}>
          Try again
        </Button>
        <ButtonLink href="/">Go to the start</ButtonLink>
      </div>
      {digest ? <p className="font-mono text-faint text-xs">{digest}</p> : null}
    </div>
  );
}
