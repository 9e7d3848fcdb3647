"use client";

import { useEffect } from "react";
import { useFrame } from "#components/frame/frame-context.tsx";
import { summarizeInbox } from "./inbox-summary.ts";

type Props = { projectId: number; count: number; complete: boolean };

/** The sidebar shows as many items as the inbox does, without reading it again. */
export function InboxNote({ projectId, count, complete }: Props) {
  const { setInbox } = useFrame();
  useEffect(
    () => setInbox({ projectId, ...summarizeInbox(count, complete) }),
    [setInbox, projectId, count, complete],
  );
  return null;
}
