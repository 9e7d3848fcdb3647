import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { z } from "zod";

const place = z.object({ index: z.number().int(), id: z.string() });

const formState = z.object({
  survey: z.string(),
  submission: z.string(),
  distinct_id: z.string(),
  /** The question on the page; null on the page before the first one. */
  at: place.nullable(),
  /** The questions answered, in the order in which they were seen. */
  path: z.array(place),
  /** Answers by question id, including questions the respondent went back from. */
  answers: z.record(z.string(), z.unknown()),
  /** Other parameters of the URL, recorded with every event. */
  properties: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  language: z.string().nullable(),
  embed: z.boolean(),
  /** Whether somebody of the team tries it out: nothing is recorded. */
  preview: z.boolean().default(false),
});

/** A question by its place and its id, since places change. */
export type Place = z.output<typeof place>;

/** One person's progress through a survey. It travels in the page; the server stores nothing. */
export type FormState = z.output<typeof formState>;

const SEALED_MAX = 600_000;
const OPENED_MAX = 4_000_000;

/** The key that signs forms, derived from the key of the process. */
export const formKey = (secret: Buffer): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, "", "switchyard hosted survey forms", 32));

const sign = (key: Buffer, text: string) => createHmac("sha256", key).update(text).digest();

/** The state as text for a hidden field: readable, but signed. */
export function seal(key: Buffer, state: FormState): string {
  const text = deflateRawSync(JSON.stringify(state)).toString("base64url");
  return `${text}.${sign(key, text).toString("base64url")}`;
}

/** Opens a sealed state; null if this key did not sign it, or signed it for another survey. */
export function open(key: Buffer, sealed: string, survey: string): FormState | null {
  if (sealed.length > SEALED_MAX) return null;
  const [, text = "", signature = ""] = /^([\w-]+)\.([\w-]{43})$/.exec(sealed) ?? [];
  if (text === "" || !timingSafeEqual(sign(key, text), Buffer.from(signature, "base64url"))) return null;
  const json = inflateRawSync(Buffer.from(text, "base64url"), { maxOutputLength: OPENED_MAX });
  const parsed = formState.safeParse(JSON.parse(json.toString("utf8")));
  return parsed.success && parsed.data.survey === survey ? parsed.data : null;
}
