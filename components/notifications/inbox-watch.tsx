"use client";

import { usePathname } from "next/navigation";
import { useEffect, useRef } from "react";
import { placeHref } from "#components/frame/destinations.ts";
import { useFrame, useMay } from "#components/frame/frame-context.tsx";
import { callFromBrowser } from "#components/kit/use-endpoint.ts";
import type { inboxContract } from "#lib/notifications/inbox/contract.ts";
import { summarizeInbox } from "./inbox-summary.ts";

/** Pages that follow one another sooner do not read the inbox again. */
const FRESH_MS = 60_000;

/** Reads how much is in the inbox, for the sidebar. The inbox itself says so on its own page. */
export function InboxWatch({ projectId }: { projectId: number }) {
  const { scopes, setInbox } = useFrame();
  const isKnown = useMay("project:read") && scopes !== null;
  const pathname = usePathname();
  const readAt = useRef<{ projectId: number; at: number }>(null);
  useEffect(() => {
    const isThere = pathname === placeHref(projectId, "inbox");
    const last = readAt.current;
    if (isThere) readAt.current = { projectId, at: Date.now() };
    if (!isKnown || isThere || (last?.projectId === projectId && Date.now() - last.at < FRESH_MS)) return;
    readAt.current = { projectId, at: Date.now() };
    callFromBrowser<typeof inboxContract.retrieve>("/api/projects/{project_id}/inbox/", {
      params: { project_id: String(projectId) },
    }).then(
      ({ items, complete }) => setInbox({ projectId, ...summarizeInbox(items.length, complete) }),
      // The page is about something else: it is shown without the count.
      () => undefined,
    );
  }, [pathname, projectId, isKnown, setInbox]);
  return null;
}
