import { personName } from "#components/kit/person-name.ts";
import type { Tone } from "#components/ui/tone.ts";
import type { ChangeRequest } from "#lib/approvals/change_requests/schema.ts";
import { formatCount, formatShortPercent, plural } from "#lib/platform/format.ts";

type State = ChangeRequest["state"];

const STATES: Record<State, { word: string; tone: Tone }> = {
  pending: { word: "Awaiting approval", tone: "info" },
  approved: { word: "Scheduled", tone: "info" },
  applied: { word: "Applied", tone: "success" },
  rejected: { word: "Rejected", tone: "danger" },
  expired: { word: "Lapsed", tone: "warning" },
  failed: { word: "Failed", tone: "danger" },
};

/** Whether a request is still to be applied: it awaits approval, or the time that it is scheduled for. */
export const isOpen = ({ state }: Pick<ChangeRequest, "state">): boolean =>
  state === "pending" || state === "approved";

/** Whether a policy asks for approval; without one, whoever made the request can apply it. */
export const needsApproval = ({ policy_snapshot }: Pick<ChangeRequest, "policy_snapshot">): boolean =>
  policy_snapshot.policies.length > 0;

/** The state of a request, in words. */
export function stateOf(request: ChangeRequest): { word: string; tone: Tone } {
  const { state, approvals } = request;
  if (state === "pending" && approvals.some(({ decision }) => decision === "changes_requested"))
    return { word: "Changes requested", tone: "warning" };
  if (state === "pending" && !needsApproval(request)) return { word: "Open", tone: "info" };
  return STATES[state];
}

/** Who requested it: "Ada", "Ada’s agent". */
export function askerOf({ created_by, actor }: ChangeRequest): string {
  const name = personName(created_by) ?? "Somebody who has left";
  if (actor === "person") return name;
  return actor === "agent" ? `${name}’s agent` : `${name}’s API key`;
}

type Counted = Pick<
  ChangeRequest["impact"]["flags"][number],
  "changed" | "total" | "group_type_index" | "is_internal"
>;

/** Whose value it changes, in short. */
export function impactInWords({ impact: { changed, total, flags } }: ChangeRequest): string {
  const largest = flags.find((flag) => flag.changed === changed && flag.total === total);
  return countInWords({ is_internal: false, group_type_index: null, ...largest, changed, total });
}

/** Whose value some of its changes alter, of the flag with the largest share. */
export function partImpactInWords({ impact }: ChangeRequest, flagIds: readonly number[]): string {
  const flags = impact.flags.filter(({ id }) => flagIds.includes(id));
  const shareOf = ({ changed, total }: Counted) => (total > 0 ? changed / total : 0);
  const [largest] = flags.toSorted((a, b) => shareOf(b) - shareOf(a));
  return largest ? countInWords(largest) : "Nobody’s value changes";
}

function countInWords({ changed, total, group_type_index, is_internal }: Counted): string {
  if (changed === 0) return "Nobody’s value changes";
  const isOfPeople = group_type_index === null;
  const of = isOfPeople ? plural(total, "person", "people") : plural(total, "group");
  const share = `${formatCount(changed)} of ${of} (${formatShortPercent(changed / total, 1)})`;
  return `${share} ${is_internal ? "enter or leave the audience of a survey" : "get a different value"}`;
}
