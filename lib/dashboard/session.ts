import { getIronSession, type IronSession, type SessionOptions } from "iron-session";
import type { Route } from "next";
import { cookies, headers } from "next/headers";
import { redirect } from "next/navigation";
import { config } from "#lib/config.ts";
import { localPath } from "./local_path.ts";

/** Who is signed in: a personal API key, and the API it belongs to. Sealed in a cookie, never sent to scripts. */
export type Session = {
  api_key: string;
  /** "own", or one of the operator's API_BASE_URLS. */
  api_base_url: string;
};

const COOKIE = "switchyard_session";
const FOURTEEN_DAYS_S = 14 * 24 * 60 * 60;

/** Set by our server on requests for pages: their path and query, which Next does not tell a layout. */
const PATH_HEADER = "x-switchyard-path";

async function options(): Promise<SessionOptions> {
  const { sessionSecret, publicUrl } = config();
  const forwarded = (await headers()).get("x-forwarded-proto")?.split(",")[0]?.trim();
  return {
    password: sessionSecret,
    cookieName: COOKIE,
    ttl: FOURTEEN_DAYS_S,
    cookieOptions: {
      httpOnly: true,
      // Not "strict": a link to a flag, opened from a chat or a mail, has to arrive signed in.
      sameSite: "lax",
      secure: forwarded === "https" || publicUrl?.startsWith("https:") === true,
      path: "/",
    },
  };
}

const open = async (): Promise<IronSession<Partial<Session>>> =>
  getIronSession<Partial<Session>>(await cookies(), await options());

/** Whether the operator lets this dashboard use that API. */
export const isAllowedBase = (base: string): boolean => base === "own" || config().apiBaseUrls.includes(base);

/** The signed-in person's session; null without one, or when its API is no longer allowed. */
export async function readSession(): Promise<Session | null> {
  const { api_key, api_base_url } = await open();
  if (!api_key || !api_base_url || !isAllowedBase(api_base_url)) return null;
  return { api_key, api_base_url };
}

/**
 * The address of the sign-in page that leads back to `next`.
 *
 * @param reason what the page should explain: `expired` after the API refused the key
 */
export function signInPath(next: string, reason?: "expired"): Route {
  const query = new URLSearchParams();
  const path = localPath(next);
  if (path !== "/") query.set("next", path);
  if (reason) query.set("reason", reason);
  return (query.size > 0 ? `/sign-in?${query}` : "/sign-in") as Route;
}

/** The path and query of the page being asked for, where the server in front told it. */
export const requestedPath = async (): Promise<string> => localPath((await headers()).get(PATH_HEADER));

/**
 * The session, or a redirect to the sign-in page that leads back here.
 *
 * @param next where to lead back to; the page being asked for when absent
 */
export async function requireSession(next?: string): Promise<Session> {
  return (await readSession()) ?? redirect(signInPath(next ?? (await requestedPath())));
}

/** Remembers a key that has been checked. Only in server actions and route handlers. */
export async function signIn(session: Session): Promise<void> {
  if (!isAllowedBase(session.api_base_url)) throw new Error("This API base address is not allowed here.");
  const sealed = await open();
  Object.assign(sealed, session);
  await sealed.save();
}

/** Forgets the key. Only in server actions and route handlers. */
export async function signOut(): Promise<void> {
  (await open()).destroy();
}
