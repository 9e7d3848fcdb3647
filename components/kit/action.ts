import type { ActionResult } from "#lib/app/session/action-result.ts";

/** The error of a call that got no response. */
export const NO_ANSWER = "The service did not respond, so your change may not be saved. Please try again.";

/** Runs a write; a broken connection becomes an error result. */
export async function attempt<T>(run: () => Promise<ActionResult<T>>): Promise<ActionResult<T>> {
  try {
    return await run();
  } catch {
    const error = { type: "server_error", code: "error", detail: NO_ANSWER, attr: null, status: 0 } as const;
    return { ok: false, error };
  }
}

/** Runs a write of which only the problem matters, as dialogs and undo take it; undefined if it worked. */
export async function findProblem(run: () => Promise<ActionResult<unknown>>): Promise<string | undefined> {
  const result = await attempt(run);
  return result.ok ? undefined : result.error.detail;
}

/** Whether a change was refused because somebody else changed the same fields. */
export const isConflict = (result: ActionResult<unknown>): boolean =>
  !result.ok && result.error.status === 409;
