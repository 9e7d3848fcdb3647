import { randomBytes } from "node:crypto";

const bare = (tag: string) => {
  const text = tag.trim().replace(/^W\//, "");
  return text.startsWith('"') && text.endsWith('"') && text.length > 1 ? text.slice(1, -1) : text;
};

/**
 * Whether If-None-Match names an entity tag. Compares weakly, and takes tags without quotes: some clients and
 * proxies take the quotes off.
 */
export function computeNamesETag(header: string | null, etag: string): boolean {
  if (header === null) return false;
  if (header === etag) return true;
  const wanted = bare(etag);
  return header.split(",").some((tag) => tag.trim() === "*" || bare(tag) === wanted);
}

/** Length of the name of a content of definitions, in base64url. */
export const CONTENT_LENGTH = 22;
/** Length of an instance's id, in base64url. */
const INSTANCE_ID_LENGTH = 12;

export const createInstanceId = (): string => randomBytes((INSTANCE_ID_LENGTH / 4) * 3).toString("base64url");

/** What a client has of the definitions, and which instance of an SDK it is. */
export type HeldTag = { content: string; view: string; instance: string };

// Proxies that compress answers add their own ending, such as -gzip.
const HELD = new RegExp(
  `^\\s*(?:W/)?"?([\\w-]{${CONTENT_LENGTH}})(\\d)\\.([\\w-]{${INSTANCE_ID_LENGTH}})(?:[-;]\\w{1,8})?"?\\s*$`,
);
/** Nobody has that many tags: a longer header is not searched. */
const LONGEST_HEADER = 400;

/** The entity tag of definitions for one instance: it sends the tag back, and thereby says what it has. */
export const tagFor = (tag: string, instance: string): string => `W/"${tag}.${instance}"`;

const INSTANCE = new RegExp(`^[\\w-]{${INSTANCE_ID_LENGTH}}$`);
const CONTENT_FROM = 'W/"'.length;
const VIEW_AT = CONTENT_FROM + CONTENT_LENGTH;
const INSTANCE_FROM = VIEW_AT + 2;
const TAG_LENGTH = INSTANCE_FROM + INSTANCE_ID_LENGTH + 1;

/** A tag as it was sent, which almost all are. Whether its content is one is found out by comparing it. */
function readOwnForm(header: string): HeldTag | null {
  if (header.length !== TAG_LENGTH || !header.startsWith('W/"') || header[VIEW_AT + 1] !== ".") return null;
  const instance = header.slice(INSTANCE_FROM, -1);
  if (!INSTANCE.test(instance)) return null;
  return { content: header.slice(CONTENT_FROM, VIEW_AT), view: header.charAt(VIEW_AT), instance };
}

/** What If-None-Match says; null if it has no tag of ours. */
export function readHeldTag(header: string | null): HeldTag | null {
  if (header === null || header.length > LONGEST_HEADER) return null;
  const own = readOwnForm(header);
  if (own) return own;
  for (const tag of header.split(",")) {
    const [, content, view, instance] = HELD.exec(tag) ?? [];
    if (content !== undefined && view !== undefined && instance !== undefined)
      return { content, view, instance };
  }
  return null;
}
