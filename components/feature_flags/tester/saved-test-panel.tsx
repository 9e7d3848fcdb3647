"use client";

import dynamic from "next/dynamic";
import { type ComponentProps, useEffect, useState } from "react";
import { whenIdle } from "#components/ui/after-page.ts";
import { Card } from "#components/ui/display/card.tsx";
import { Skeleton } from "#components/ui/display/skeleton.tsx";
import type { SavedTester } from "./tester.tsx";

function Waiting() {
  return (
    <Card title="Test" description="See what one person or group gets, and why.">
      <Skeleton className="h-40 w-full" />
    </Card>
  );
}

const Panel = dynamic(async () => (await import("./tester.tsx")).SavedTester, {
  ssr: false,
  loading: Waiting,
});

/** The tester of a flag that is not being edited. With the form's rules it is large: it loads once the page is up. */
export function SavedTestPanel(props: ComponentProps<typeof SavedTester>) {
  const [isUp, setIsUp] = useState(false);
  useEffect(() => whenIdle(() => setIsUp(true)), []);
  return isUp ? <Panel {...props} /> : <Waiting />;
}
