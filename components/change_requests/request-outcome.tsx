import { personName } from "#components/kit/person-name.ts";
import { Callout } from "#components/ui/display/callout.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import type { ChangeRequest } from "#lib/approvals/change_requests/schema.ts";

/** What became of a request; nothing while it waits. */
export function RequestOutcome({ request }: { request: ChangeRequest }) {
  const { state, applied_by, applied_at, bypass_reason, apply_error, validation_errors } = request;
  const who = personName(applied_by) ?? "Somebody who has left";
  if (state === "applied" && bypass_reason !== null)
    return (
      <Callout tone="danger" title={`${who} applied this without its approvals`}>
        {bypass_reason}
      </Callout>
    );
  if (state === "applied")
    return (
      <Callout tone="success" title="This change is in effect">
        Applied {applied_at ? <RelativeTime date={applied_at} /> : null} by {who}.
      </Callout>
    );
  if (state === "expired")
    return (
      <Callout tone="warning" title="This request has lapsed">
        {detailOf(validation_errors) ?? "It was not approved in time."} Nothing was changed; propose it again
        if it is still wanted.
      </Callout>
    );
  if (state === "failed")
    return (
      <Callout tone="danger" title="This change could not be applied">
        {apply_error} Nothing was changed.
      </Callout>
    );
  return null;
}

const detailOf = (errors: unknown): string | null => {
  const { detail } = (errors ?? {}) as { detail?: unknown };
  return typeof detail === "string" ? detail : null;
};
