"use client";

import { Radio } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import { Card } from "#components/ui/display/card.tsx";
import { Spinner } from "#components/ui/display/spinner.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import { useRefresh } from "./use-refresh.ts";

const EVERY_MS = 3000;

type Props = {
  /** Who is exposed, and by which event, in a sentence. */
  exposure: string;
  /** Code that evaluates the flag. */
  snippet: ReactNode;
};

/** Until the first exposure arrives: how it comes about, and that it is being waited for. */
export function FirstExposure({ exposure, snippet }: Props) {
  useRefresh(EVERY_MS);
  // It goes away when the page, read again, has an exposure; or with the page.
  useEffect(() => {
    const here = window.location.pathname;
    return () => {
      if (window.location.pathname === here) toast.success("The first exposure has arrived");
    };
  }, []);
  return (
    <Card title="Waiting for the first exposure">
      <div className="flex max-w-3xl flex-col gap-4">
        <p role="status" className="flex items-start gap-2 text-muted text-sm">
          <Spinner className="mt-0.5 shrink-0 text-accent-text" />
          <span>Results appear here by themselves, a few seconds after the first person is exposed.</span>
        </p>
        <p className="flex items-start gap-2 text-sm">
          <Radio aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-muted" />
          <span>{exposure}</span>
        </p>
        {snippet}
      </div>
    </Card>
  );
}
