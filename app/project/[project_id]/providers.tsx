"use client";

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { UnsavedGuardProvider } from "#components/kit/editor/unsaved-guard.tsx";
import { ShortcutsProvider } from "#components/ui/overlay/shortcuts.tsx";
import { Toaster } from "#components/ui/overlay/toaster.tsx";
import { useEarlyParts } from "#components/ui/overlay/use-parts.ts";

const newQueryClient = () =>
  new QueryClient({
    defaultOptions: { queries: { staleTime: 15_000, retry: 1, refetchOnWindowFocus: true } },
  });

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
