import { type Duty, listDuties } from "#lib/approvals/change_requests/duties.ts";
import type { Contributor, InboxItem } from "#lib/notifications/inbox/item.ts";

const SHOWN_MS = 14 * 86_400_000;

type Words = Pick<InboxItem, "urgency" | "why"> & { title: (name: string) => string; label: string };

const WORDS: Record<Duty, Words> = {
  review: {
    urgency: "now",
    title: (name) => `Review “${name}”`,
    why: "Somebody waits for your approval, and until then nothing changes.",
    label: "Review",
  },
  apply: {
    urgency: "today",
    title: (name) => `“${name}” can be applied`,
    why: "No approval is missing, and it takes effect once you apply it.",
    label: "Apply",
  },
  revise: {
    urgency: "today",
    title: (name) => `“${name}” has to be revised`,
    why: "A reviewer has asked for changes, and nobody can approve it before you make them.",
    label: "See what was asked for",
  },
  propose_again: {
    urgency: "soon",
    title: (name) => `“${name}” has lapsed`,
    why: "It would do something else by now or has waited too long, so nothing was changed.",
    label: "Propose it again",
  },
  see_failure: {
    urgency: "today",
    title: (name) => `“${name}” could not be applied`,
    why: "It was approved, but applying it failed, so nothing was changed.",
    label: "See what failed",
  },
};

/** Change requests that wait for somebody, and those that came to nothing. */
export const changeRequests: Contributor = {
  scope: "feature_flag:read",
  find: async ({ db, project, user, now, limit }) => {
    // Whom a request waits for differs; that it was made is in the activity log.
    if (!user) return [];
    const since = new Date(now.getTime() - SHOWN_MS);
    const found = await listDuties(db, { project_id: project.id, user_id: user.id, now, since, limit });
    return found.map(({ row, duty }): InboxItem => {
      const { title, why, urgency, label } = WORDS[duty];
      return {
        key: `change_request/${row.id}/${duty}`,
        version: row.updated_at.toISOString(),
        urgency,
        title: title(row.title),
        why,
        since: duty === "review" ? row.created_at : row.updated_at,
        action: { label, path: `change_requests/${row.id}` },
      };
    });
  },
};
