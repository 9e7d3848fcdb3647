import { createHmac, randomBytes } from "node:crypto";
import { z } from "zod";
import { decrypt, encrypt } from "#lib/flags/feature_flags/filters/payloads.ts";

/** Marks a secret, as in the specification of Standard Webhooks. */
const PREFIX = "whsec_";
const SECRET_BYTES = 32;

const storedSecrets = z.array(
  z.object({
    secret: z.string(),
    /** Milliseconds; null: the newest one, which does not expire. */
    expires_at: z.number().nullable(),
  }),
);

/** The secrets of a webhook, the newest first. */
export type Secrets = z.output<typeof storedSecrets>;

export const makeSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString("base64");

/** The secrets after a new one was made: the one until now is valid for a while longer. */
export const rotateSecrets = (secrets: Secrets, made: string, until: Date): Secrets => [
  { secret: made, expires_at: null },
  ...secrets.slice(0, 1).map(({ secret }) => ({ secret, expires_at: until.getTime() })),
];

export const validAt = (secrets: Secrets, now: Date): Secrets =>
  secrets.filter(({ expires_at }) => expires_at === null || expires_at > now.getTime());

export const sealSecrets = (secrets: Secrets, key: Buffer): string => encrypt(JSON.stringify(secrets), key);

/** @returns null where another key encrypted them */
export function openSecrets(sealed: string, key: Buffer): Secrets | null {
  const text = decrypt(sealed, key);
  return text === null ? null : storedSecrets.parse(JSON.parse(text));
}

const sign = (secret: string, signed: string): string =>
  `v1,${createHmac("sha256", Buffer.from(secret.slice(PREFIX.length), "base64"))
    .update(signed)
    .digest("base64")}`;

/** The headers of a message, as Standard Webhooks has them: a signature for each valid secret. */
export function signatureHeaders(
  secrets: Secrets,
  { id, body, now }: { id: string; body: string; now: Date },
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const signatures = validAt(secrets, now).map(({ secret }) => sign(secret, `${id}.${timestamp}.${body}`));
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}
