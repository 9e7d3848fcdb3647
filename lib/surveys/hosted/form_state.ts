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
  /** Answers by question id, of questions gone back from too. */
  answers: z.record(z.string(), z.unknown()),
  /** What else the address said; goes into every event. */
  properties: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  language: z.string().nullable(),
  embed: z.boolean(),
});

/** A question by its place and its id: the one may move while the other stays. */
export type Place = z.output<typeof place>;

/** Everything about one person's way through a survey. It travels in the page; the server keeps nothing. */
export type FormState = z.output<typeof formState>;

const SEALED_MAX = 600_000;
const OPENED_MAX = 4_000_000;

/** The key that forms are signed with, of the one that the process keeps. */
export const formKey = (secret: Buffer): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, "", "switchyard hosted survey forms", 32));

const sign = (key: Buffer, text: string) => createHmac("sha256", key).update(text).digest();

/** The state as a text for a hidden field: readable by whoever looks, but not to be changed. */
export function seal(key: Buffer, state: FormState): string {
  const text = deflateRawSync(JSON.stringify(state)).toString("base64url");
  return `${text}.${sign(key, text).toString("base64url")}`;
}

/** The state that was sealed; null for anything that this key did not sign, or signed for another survey. */
export function open(key: Buffer, sealed: string, survey: string): FormState | null {
  if (sealed.length > SEALED_MAX) return null;
  const [, text = "", signature = ""] = /^([\w-]+)\.([\w-]{43})$/.exec(sealed) ?? [];
  if (text === "" || !timingSafeEqual(sign(key, text), Buffer.from(signature, "base64url"))) return null;
  const json = inflateRawSync(Buffer.from(text, "base64url"), { maxOutputLength: OPENED_MAX });
  const parsed = formState.safeParse(JSON.parse(json.toString("utf8")));
  return parsed.success && parsed.data.survey === survey ? parsed.data : null;
}
