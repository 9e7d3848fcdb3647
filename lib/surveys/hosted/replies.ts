import type { Context } from "hono";
import { ApiError } from "#lib/platform/http/errors.ts";
import type { Mounting } from "#lib/surveys/context.ts";

import type { Html } from "./card/control.ts";
import { type Frame, messagePage } from "./pages.ts";
import { frameOf, type Session } from "./session.ts";

/** Other sites may embed the page if the survey's appearance allows it. */
const mayEmbed = (session: Session | null) => session?.appearance.enableIframeEmbedding === true;

/** A page as a response. */
export async function answer(
  content: Html,
  frame: Frame,
  session: Session | null,
  status = 200,
  cookie: string | null = null,
): Promise<Response> {
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${frame.nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src https: data:",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${mayEmbed(session) ? "*" : "'none'"}`,
  ].join("; ");
  return new Response(String(await content), {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      // Every page has its own submission id: two people must not get the same one.
      "cache-control": "private, no-cache",
      "content-security-policy": policy,
      ...(!mayEmbed(session) && { "x-frame-options": "DENY" }),
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
      "x-robots-tag": "noindex",
      vary: "Accept-Encoding, Accept-Language, Cookie",
      ...(cookie !== null && { "set-cookie": cookie }),
    },
  });
}

type Reason = "missing" | "closed" | "later" | "answered" | "broken";

/** A page that ends a request early. */
export class Closing extends Error {
  readonly status: number;
  readonly session: Session | null;
  readonly reason: Reason;

  constructor(status: number, reason: Reason, session: Session | null = null) {
    super(reason);
    this.status = status;
    this.reason = reason;
    this.session = session;
  }
}

/** Errors are shown as pages. */
export const readable =
  (handler: (mounting: Mounting, c: Context) => Promise<Response>, mounting: Mounting) =>
  async (c: Context): Promise<Response> => {
    try {
      return await handler(mounting, c);
    } catch (error) {
      const session = error instanceof Closing ? error.session : null;
      const frame = frameOf(session, null);
      const { texts } = frame;
      if (error instanceof Closing) {
        const [title, text] = {
          missing: [texts.missingTitle, texts.missing],
          closed: [texts.closedTitle, texts.closed],
          later: [texts.laterTitle, texts.later],
          answered: [texts.answeredTitle, texts.answered],
          broken: [texts.brokenTitle, texts.broken],
        }[error.reason] as [string, string];
        const restart = error.reason === "broken" ? session?.path : undefined;
        return answer(messagePage({ ...frame, title }, title, text, restart), frame, session, error.status);
      }
      if (!(error instanceof ApiError)) throw error;
      const page = messagePage({ ...frame, title: texts.brokenTitle }, texts.brokenTitle, error.message);
      const response = await answer(page, frame, null, error.status);
      for (const [name, value] of Object.entries(error.headers)) response.headers.set(name, value);
      return response;
    }
  };
