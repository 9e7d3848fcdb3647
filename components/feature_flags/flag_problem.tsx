"use client";

import { RotateCw } from "lucide-react";
import { Button } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Page } from "#components/ui/page-header.tsx";

/** Shown in place of a page of flags that could not be made. */
export function FlagProblem({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <Page width="form">
      <EmptyState
        title="This page could not be shown"
        actions={
          <Button icon={RotateCw} onClick={reset}>
            Try again
          </Button>
        }
      >
        Nothing was changed.{" "}
        {error.digest ? (
          <>
            The server's log has the details under <code className="font-mono">{error.digest}</code>.
          </>
        ) : null}
      </EmptyState>
    </Page>
  );
}
