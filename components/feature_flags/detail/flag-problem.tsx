"use client";

import { RotateCw } from "lucide-react";
import { Button } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { Page } from "#components/ui/display/page-header.tsx";

/** Shown instead of a flags page that could not be rendered. */
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
            Details are in the server log under <code className="font-mono">{error.digest}</code>.
          </>
        ) : null}
      </EmptyState>
    </Page>
  );
}
