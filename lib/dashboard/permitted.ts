import type { Scope } from "#lib/http/contract.ts";
import { ApiError } from "#lib/http/errors.ts";
import { allows } from "#lib/http/scopes.ts";
import { requireWho } from "./who.ts";

/** What a read answers; null where the key may not make it, or there is no such thing. */
export async function permitted<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return null;
    throw error;
  }
}

/**
 * Whether the signed-in key may do something, told before anything is pressed.
 *
 * @param deed in the infinitive: "change cohorts"
 */
export async function accessTo(scope: Scope, deed: string) {
  const { who } = await requireWho();
  const may_write = allows(who.scopes, scope);
  const reason = `Your API key may not ${deed}. Sign in with a key that has the scope ${scope}.`;
  return { may_write, reason: may_write ? null : reason };
}
