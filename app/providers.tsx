"use client";

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { UnsavedGuardProvider } from "#components/kit/editor/unsaved-guard.tsx";
import { ShortcutsProvider } from "#components/ui/overlay/shortcuts.tsx";
import { Toaster } from "#components/ui/overlay/toaster.tsx";
import { TooltipProvider } from "#components/ui/overlay/tooltip.tsx";

const newQueryClient = () =>
  new QueryClient({
    defaultOptions: { queries: { staleTime: 15_000, retry: 1, refetchOnWindowFocus: true } },
  });

export function Providers({ children }: { children: ReactNode }) {
  const [queries] = useState(newQueryClient);
  return (
    <QueryClientProvider client={queries}>
      <TooltipProvider delayDuration={350} skipDelayDuration={200}>
        <ShortcutsProvider>
          <UnsavedGuardProvider>{children}</UnsavedGuardProvider>
        </ShortcutsProvider>
      </TooltipProvider>
      <Toaster />
    </QueryClientProvider>
  );
}
