import { ApiError, type ErrorBody } from "#lib/platform/http/errors.ts";

/** What a server action gives back to its form: the data, or the API's error for the field that caused it. */
export type ActionResult<T> = { ok: true; data: T } | { ok: false; error: ErrorBody & { status: number } };

/** Runs an action's calls; the API's errors become results, anything else is a real failure and thrown. */
export async function actionResult<T>(run: () => Promise<T>): Promise<ActionResult<T>> {
  try {
    return { ok: true, data: await run() };
  } catch (error) {
    if (error instanceof ApiError) return { ok: false, error: { ...error.body, status: error.status } };
    throw error;
  }
}
