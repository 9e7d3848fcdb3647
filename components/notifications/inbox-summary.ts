import { formatCount, plural } from "#lib/platform/format.ts";

/** How much is in an inbox: as a number, and as the name of its link. */
export function summarizeInbox(count: number, complete: boolean): { shown: string; label: string } {
  if (count === 0) return { shown: "", label: "Inbox" };
  return {
    shown: `${formatCount(count)}${complete ? "" : "+"}`,
    label: `Inbox, ${plural(count, "item")}${complete ? "" : " or more"}`,
  };
}
