import { toast } from "#components/ui/overlay/toaster.tsx";
import type { ActionResult } from "#lib/app/session/action-result.ts";
import { followHeld, heldRequest } from "./held.ts";
import { askToSignIn } from "./session.ts";

/** The error of a call that got no response. */
export const NO_ANSWER = "The service did not respond, so your change may not be saved. Please try again.";

const noAnswer = { type: "server_error", code: "error", detail: NO_ANSWER, attr: null, status: 0 } as const;

/**
 * Runs a write. A broken connection becomes an error result; one that a policy holds leads to its change request; after a session that has ended, it runs again as soon as
 * the person has signed in again.
 */
export async function attempt<T>(run: () => Promise<ActionResult<T>>): Promise<ActionResult<T>> {
  const result = await run().catch(() => ({ ok: false, error: noAnswer }) as const);
  followHeld(result);
  const isSignedOut = !result.ok && result.error.status === 401;
  return isSignedOut && (await askToSignIn()) ? attempt(run) : result;
}

/**
 * What is wrong with the result of a write, as dialogs and undo take it; undefined if it worked, and if a policy holds
 * it: nothing is wrong then, and its change request opens.
 */
export const problemOf = (result: ActionResult<unknown>): string | undefined =>
  result.ok || heldRequest(result) !== null ? undefined : result.error.detail;

/** Runs a write of which only the problem matters. */
export const findProblem = async (run: () => Promise<ActionResult<unknown>>): Promise<string | undefined> =>
  problemOf(await attempt(run));

/** Says at the edge of the page what is wrong with the result of a write, if anything is. */
export function reportProblem(message: string, result: ActionResult<unknown>): void {
  const problem = problemOf(result);
  if (problem !== undefined) toast.error(message, { description: problem });
}

/** Whether a change was refused because somebody else changed the same fields. */
export const isConflict = (result: ActionResult<unknown>): boolean =>
  !result.ok && result.error.status === 409;
