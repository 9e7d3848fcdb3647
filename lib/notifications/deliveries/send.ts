import { decrypt } from "#lib/flags/feature_flags/filters/payloads.ts";
import type { Work } from "#lib/notifications/context.ts";
import type { Payload } from "#lib/notifications/messages/payload-schema.ts";
import { createAddressCheck, createCheckedLookup, ForbiddenAddress } from "./addresses.ts";
import { isRefusal, mailOf } from "./mail.ts";
import { type Answer, post } from "./post.ts";
import { type Outcome, outcomeOf } from "./retries.ts";
import { openSecrets, signatureHeaders } from "./signature.ts";
import { slackMessageOf } from "./slack.ts";
import type { DestinationRow } from "./store.ts";

/** What became of an attempt. */
export type Attempt = { outcome: Outcome; answer: Answer | null; error: string | null };

const ERROR_MAX = 500;

const failed = (outcome: Outcome, error: string): Attempt => ({
  outcome,
  answer: null,
  error: error.slice(0, ERROR_MAX),
});

const LOST_KEY = "It was stored with another ENCRYPTION_KEY: enter it again.";

/** Addresses of a destination for e-mail, as they are stored: separated by commas. */
export const splitAddresses = (address: string): string[] =>
  address
    .split(",")
    .map((each) => each.trim())
    .filter(Boolean);

const RETURNED: Readonly<Record<Exclude<Outcome, "delivered">, string>> = {
  refused: "The receiver refused it",
  away: "The receiver could not take it",
  gone: "The receiver wants no more of them",
};

async function postTo(
  { runtime }: Pick<Work, "runtime">,
  address: string,
  headers: Record<string, string>,
  body: string,
): Promise<Attempt> {
  const isAllowed = createAddressCheck(runtime.notifications.networks);
  try {
    const answer = await post(new URL(address), {
      headers: { "content-type": "application/json", "user-agent": "Switchyard", ...headers },
      body,
      isAllowed,
      lookup: createCheckedLookup(isAllowed),
    });
    const outcome = outcomeOf(answer.status);
    const error = outcome === "delivered" ? null : `${RETURNED[outcome]} (${answer.status}).`;
    return { outcome, answer, error };
  } catch (error) {
    if (error instanceof ForbiddenAddress) return failed("away", error.message);
    return failed("away", error instanceof Error ? wordsOf(error) : "The connection failed.");
  }
}

/** What is wrong with a connection; where several addresses were tried, with the first of them. */
function wordsOf(error: Error): string {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error && first.message ? first.message : "The connection failed.";
}

async function mailTo(
  { runtime }: Pick<Work, "runtime">,
  to: string[],
  payloads: readonly Payload[],
  { id, footer }: { id: string; footer: string },
): Promise<Attempt> {
  const { mailer } = runtime.notifications;
  if (!mailer) return failed("away", "E-mail is not configured: set SMTP_URL and MAIL_FROM.");
  try {
    await mailer(mailOf(payloads, { to, footer, id }));
    return { outcome: "delivered", answer: null, error: null };
  } catch (error) {
    return failed(isRefusal(error) ? "refused" : "away", error instanceof Error ? error.message : "Failed.");
  }
}

/** The address of somebody who subscribed; null for one who has no access to the project any more. */
async function addressOfPerson(
  { runtime }: Pick<Work, "runtime">,
  { project_id, user_id }: DestinationRow,
): Promise<string | null> {
  const { users, projects } = await runtime.directory.current();
  const [user, project] = [users.get(user_id ?? 0), projects.get(project_id)];
  if (!user?.is_active || !project) return null;
  return (await runtime.directory.level(project.organization_id, user.id)) > 0 ? user.email : null;
}

/** The end of mails to those who subscribed. */
export const personFooter = (publicUrl: string, projectId: number): string =>
  `You subscribed to this in Switchyard. To change that: ${publicUrl}/project/${projectId}/inbox/subscriptions`;

/**
 * Sends one message, or for a person the digest of several.
 *
 * @param id the same for every attempt, so that receivers recognize what they have
 */
export async function send(
  work: Pick<Work, "runtime">,
  destination: DestinationRow,
  { id, payloads, now }: { id: string; payloads: readonly Payload[]; now: Date },
): Promise<Attempt> {
  const { settings, notifications } = work.runtime;
  const inbox = `${notifications.public_url}/project/${destination.project_id}`;
  if (destination.kind === "person") {
    const to = await addressOfPerson(work, destination);
    if (to === null) return failed("gone", "Whoever subscribed no longer has access to this project.");
    const footer = personFooter(notifications.public_url, destination.project_id);
    return mailTo(work, [to], payloads, { id, footer });
  }
  const address = decrypt(destination.address, settings.encryption_key);
  const [payload] = payloads;
  if (address === null || !payload) return failed("away", LOST_KEY);
  if (destination.kind === "email") {
    const footer = `An administrator of the project added this address in Switchyard: ${inbox}/settings/notifications`;
    return mailTo(work, splitAddresses(address), [payload], { id, footer });
  }
  if (destination.kind === "slack") return postTo(work, address, {}, JSON.stringify(slackMessageOf(payload)));
  const secrets = openSecrets(destination.secrets ?? "", settings.encryption_key);
  if (!secrets) return failed("away", LOST_KEY);
  const body = JSON.stringify(payload);
  return postTo(work, address, signatureHeaders(secrets, { id, body, now }), body);
}
