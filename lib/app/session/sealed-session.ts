import { sealData, unsealData } from "iron-session";
import { z } from "zod";
import { SESSION_SECONDS } from "#lib/identity/sessions/lifetime.ts";

/** What a browser holds of a session. */
const sealedSession = z.object({
  /** Names the session on the server; a session that has ended there opens nothing. */
  id: z.string().min(1),
  api_key: z.string().min(1),
  /** "own", or one of the operator's API_BASE_URLS. */
  api_base_url: z.string().min(1),
});

export type SealedSession = z.infer<typeof sealedSession>;

/** Longer ones are not ours. */
const COOKIE_MAX = 4_096;

export const sealSession = (session: SealedSession, password: string): Promise<string> =>
  sealData(session, { password, ttl: SESSION_SECONDS });

/** The session in a cookie; null for one that was not sealed here, has expired or is invalid. */
export async function openSession(
  cookie: string | undefined,
  password: string,
): Promise<SealedSession | null> {
  if (!cookie || cookie.length > COOKIE_MAX) return null;
  try {
    const opened = await unsealData(cookie, { password, ttl: SESSION_SECONDS });
    return sealedSession.safeParse(opened).data ?? null;
  } catch {
    // Malformed seals throw; they are treated as no session.
    return null;
  }
}
