"use client";

import { later } from "#components/ui/after-page.ts";

/** Counts the inbox for the sidebar, once the page is there. */
export const InboxCount = later(async () => (await import("./inbox-watch.tsx")).InboxWatch);
