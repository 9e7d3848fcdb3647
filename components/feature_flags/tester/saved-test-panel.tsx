"use client";

import { later } from "#components/ui/after-page.ts";
import { Card } from "#components/ui/display/card.tsx";
import { Skeleton } from "#components/ui/display/skeleton.tsx";

/** The tester of a flag that is not being edited; with the form's rules it is large. */
export const SavedTestPanel = later(
  async () => (await import("./tester.tsx")).SavedTester,
  () => (
    <Card title="Test" description="See what one person or group gets, and why.">
      <Skeleton className="h-40 w-full" />
    </Card>
  ),
);
