import type { MemberContext } from "#lib/notifications/context.ts";
import { DIGEST_MAX } from "#lib/notifications/deliveries/deliver.ts";
import { mailOf } from "#lib/notifications/deliveries/mail.ts";
import { personFooter } from "#lib/notifications/deliveries/send.ts";
import { selectDigest } from "#lib/notifications/deliveries/store.ts";
import type { Payload } from "#lib/notifications/messages/payload-schema.ts";
import type { Digest } from "#lib/notifications/subscriptions/schema.ts";
import { covers } from "#lib/platform/http/auth.ts";
import type { Scope } from "#lib/platform/http/contract.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { nextDigest } from "./digest-moment.ts";

/** The scope that a key needs to read what a message is about. */
const SCOPES: Readonly<Record<Payload["data"]["resource"]["type"], Scope>> = {
  feature_flag: "feature_flag:read",
  experiment: "experiment:read",
  survey: "survey:read",
  cohort: "cohort:read",
  change_request: "feature_flag:read",
  approval_policy: "feature_flag:read",
  project: "project:read",
};

/** What the caller's next digest would say if it were sent now. */
export async function digest(context: MemberContext): Promise<Digest> {
  const { db, runtime, project, user, key, now } = context;
  const { public_url, mailer } = runtime.notifications;
  const rows = await selectDigest(db, { project_id: project.id, user_id: user.id }, { limit: DIGEST_MAX });
  const payloads = rows
    .map(({ message }) => message.payload)
    .filter(({ data }) => covers(key, SCOPES[data.resource.type]));
  const { subject, text } = mailOf(payloads, {
    to: [user.email],
    footer: personFooter(public_url, project.id),
    id: "",
  });
  const due = rows.map(({ delivery }) => delivery.next_at.getTime());
  const sendsAt = due.length > 0 ? new Date(Math.min(...due)) : nextDigest(now, project.timezone);
  return {
    sends_at: instant(sendsAt),
    email: user.email,
    can_send: mailer !== null,
    mail: payloads.length > 0 ? { subject, text } : null,
    messages: payloads,
    hidden: rows.length - payloads.length,
  };
}
