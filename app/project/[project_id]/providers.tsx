"use client";

import { QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { UnsavedGuardProvider } from "#components/kit/editor/unsaved-guard.tsx";
import { noteSession } from "#components/kit/session.ts";
import { later } from "#components/ui/after-page.ts";
import { ShortcutsProvider } from "#components/ui/overlay/shortcuts.tsx";
import { Toaster } from "#components/ui/overlay/toaster.tsx";
import { useEarlyParts } from "#components/ui/use-parts.ts";
import { ApiError } from "#lib/platform/http/errors.ts";

const isSignedOut = (error: unknown) => error instanceof ApiError && error.status === 401;

const newQueryClient = () =>
  new QueryClient({
    queryCache: new QueryCache({
      onSuccess: () => noteSession(true),
      onError: (error) => {
        if (isSignedOut(error)) noteSession(false);
      },
    }),
    defaultOptions: { queries: { staleTime: 15_000, retry: 1, refetchOnWindowFocus: true } },
  });

/** Counts the inbox for the sidebar, once the page is there. */
export const InboxCount = later(
  async () => (await import("#components/notifications/inbox-watch.tsx")).InboxWatch,
);

/** What the pages of a project share; sign-in does without. */
export function Providers({ children }: { children: ReactNode }) {
  const [queries] = useState(newQueryClient);
  useEarlyParts();
  return (
    <QueryClientProvider client={queries}>
      <ShortcutsProvider>
        <UnsavedGuardProvider>{children}</UnsavedGuardProvider>
      </ShortcutsProvider>
      <Toaster />
    </QueryClientProvider>
  );
}
