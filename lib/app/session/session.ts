import type { Route } from "next";
import { cookies, headers } from "next/headers";
import { redirect } from "next/navigation";
import { SESSION_SECONDS } from "#lib/identity/sessions/lifetime.ts";
import type { OpenSession } from "#lib/identity/sessions/service.ts";
import { config } from "#lib/platform/config.ts";
import { localPath } from "./local-path.ts";
import { ownSessions } from "./own-sessions.ts";
import { PATH_HEADER } from "./path-header.ts";
import { openSession, type SealedSession, sealSession } from "./sealed-session.ts";
import { sessionCookie } from "./session-cookie.ts";

/** Who is signed in: a personal API key, and the API it belongs to. Sealed in a cookie, never sent to scripts. */
export type Session = Omit<SealedSession, "id">;

/** Our server says whether the client speaks TLS, whatever the client sends. */
const ownCookie = async () => sessionCookie((await headers()).get("x-forwarded-proto") === "https");

const cookieName = async () => (await ownCookie()).name;

async function setCookie(value: string, maxAge: number): Promise<void> {
  const { name, attributes } = await ownCookie();
  (await cookies()).set(name, value, { ...attributes, maxAge });
}

/** What the browser sent; whether that session still goes on is for the server to know. */
const sentSession = async () =>
  openSession((await cookies()).get(await cookieName())?.value, config().sessionSecret);

/** Whether the operator lets this dashboard use that API. */
export const isAllowedBase = (base: string): boolean => base === "own" || config().apiBaseUrls.includes(base);

/** The signed-in person's session; null without one, once it has ended, or when its API is no longer allowed. */
export async function readSession(): Promise<Session | null> {
  const sent = await sentSession();
  if (!sent || !isAllowedBase(sent.api_base_url)) return null;
  const { id, api_key, api_base_url } = sent;
  return (await (await ownSessions()).isOpen(id, api_key, new Date())) ? { api_key, api_base_url } : null;
}

/** Whether the browser holds a cookie that opens no session. */
async function holdsDeadCookie(): Promise<boolean> {
  return (await cookies()).has(await cookieName()) && (await readSession()) === null;
}

/** Takes a cookie that opens no session away from the browser. Only in route handlers. */
export async function clearDeadCookie(): Promise<void> {
  if (await holdsDeadCookie()) await removeCookie();
}

const removeCookie = () => setCookie("", 0);

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

/** The path and query of the requested page, if the server in front passed it on. */
export const requestedPath = async (): Promise<string> => localPath((await headers()).get(PATH_HEADER));

/** The URL that deletes a dead cookie and redirects to sign-in. */
const FORGET_PATH = "/sign-in/forget";

/**
 * The session, or a redirect to the sign-in page that leads back here.
 *
 * @param next where to lead back to; the requested page when absent
 */
export async function requireSession(next?: string): Promise<Session> {
  const session = await readSession();
  if (session) return session;
  const signInAt = signInPath(next ?? (await requestedPath()));
  // A page cannot set cookies, so a dead one is deleted on the way to sign-in.
  const forgetAt = signInAt.replace("/sign-in", FORGET_PATH) as Route;
  redirect((await holdsDeadCookie()) ? forgetAt : signInAt);
}

/** Starts a session of a key that has been checked. Only in server actions and route handlers. */
export async function signIn(session: Session): Promise<void> {
  if (!isAllowedBase(session.api_base_url)) throw new Error("This API base address is not allowed here.");
  const sessions = await ownSessions();
  const before = await sentSession();
  if (before) await sessions.end(before.id);
  const userAgent = (await headers()).get("user-agent") ?? "";
  const id = await sessions.start(session.api_key, new Date(), userAgent);
  const sealed = await sealSession({ id, ...session }, config().sessionSecret);
  await setCookie(sealed, SESSION_SECONDS);
}

/** Ends the session, for every copy of its cookie. Only in server actions and route handlers. */
export async function signOut(): Promise<void> {
  const sent = await sentSession();
  if (sent) await (await ownSessions()).end(sent.id);
  await removeCookie();
}

/** Where the signed-in person is signed in: with any of their keys, in any browser. */
export async function listSessions(): Promise<OpenSession[]> {
  const sent = await sentSession();
  return sent ? (await ownSessions()).list(sent.id, sent.api_key, new Date()) : [];
}

/** Ends one of these sessions; another one stays as it is. */
export async function endSession(digest: string): Promise<void> {
  const { api_key } = await requireSession();
  await (await ownSessions()).endOwn(digest, api_key, new Date());
}
