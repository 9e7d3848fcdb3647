import type { Scope } from "#lib/platform/http/contract.ts";
import { ApiError } from "#lib/platform/http/errors.ts";
import { allows } from "#lib/platform/http/scopes.ts";
import { requireWho } from "./who.ts";

/** The result of a read; null if the key has no access or the record does not exist. */
export async function permitted<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return null;
    throw error;
  }
}

/**
 * Whether the signed-in key may do something, known before anything is clicked.
 *
 * @param action in the infinitive: "change cohorts"
 */
export const accessTo = (scope: Scope, action: string) => accessToAll([scope], action);

/** The same for what needs several scopes. */
export async function accessToAll(scopes: readonly Scope[], action: string) {
  const { who } = await requireWho();
  const missing = scopes.find((scope) => !allows(who.scopes, scope));
  const reason =
    missing && `Your API key cannot ${action}. Sign in with a key that has the scope ${missing}.`;
  return { may_write: missing === undefined, reason: reason ?? null };
}
