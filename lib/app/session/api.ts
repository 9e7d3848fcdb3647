import { redirect } from "next/navigation";
import { config } from "#lib/platform/config.ts";
import { type Client, createClient, type Send } from "#lib/platform/http/client.ts";
import { ApiError } from "#lib/platform/http/errors.ts";
import { ownHandle } from "./own-handle.ts";
import { requestedPath, requireSession, type Session, signInPath } from "./session.ts";

const REMOTE_TIMEOUT_MS = 30_000;

/** Where our own API is addressed from inside; never resolved by any network. */
const OWN_BASE = "http://switchyard.internal";

const overNetwork: Send = (request) =>
  fetch(request, { signal: AbortSignal.timeout(REMOTE_TIMEOUT_MS), cache: "no-store" });

/**
 * How to reach an API base address: our own in process, another one only if the operator listed it.
 *
 * @throws Error for any other URL, so that this server cannot be made to send requests elsewhere
 */
export function reach(base: string): { base: string; send: Send } {
  if (base === "own") return { base: OWN_BASE, send: ownHandle };
  if (!config().apiBaseUrls.includes(base)) throw new Error("This API base address is not allowed here.");
  return { base, send: overNetwork };
}

/** The API with a given key. */
export const apiWith = (session: Pick<Session, "api_key" | "api_base_url">): Client =>
  createClient({ ...reach(session.api_base_url), key: session.api_key });

/**
 * The API for pages and actions of somebody signed in. A key that is refused (it was revoked, or has expired)
 * leads to the sign-in page, wherever that turns out: a layout that is already shown does not look again.
 */
export function apiFor(session: Session): Client {
  const client = apiWith(session);
  return {
    async call(declared, call) {
      try {
        return await client.call(declared, call);
      } catch (error) {
        if (error instanceof ApiError && error.status === 401)
          redirect(signInPath(await requestedPath(), "expired"));
        throw error;
      }
    },
  };
}

/** The API with the signed-in user's key; redirects to sign-in otherwise. */
export const getApi = async (): Promise<Client> => apiFor(await requireSession());
