import { revalidatePath } from "next/cache";
import type { Client } from "#lib/platform/http/client.ts";
import { ApiError, type ErrorBody, notAuthenticated } from "#lib/platform/http/errors.ts";
import { apiWith } from "./api.ts";
import { readSession } from "./session.ts";

/** What a server action gives back to its form: the data, or the API's error for the field that caused it. */
export type ActionResult<T> = { ok: true; data: T } | { ok: false; error: ErrorBody & { status: number } };

const failed = ({ body, status }: ApiError) => ({ ok: false, error: { ...body, status } }) as const;

/**
 * Runs an action's calls; the API's errors become results, anything else is a real failure and thrown. Without a
 * session the result is a 401: the page asks to sign in again, and keeps what was typed.
 */
export async function actionResult<T>(run: (api: Client) => Promise<T>): Promise<ActionResult<T>> {
  const session = await readSession();
  if (!session) return failed(notAuthenticated());
  try {
    return { ok: true, data: await run(apiWith(session)) };
  } catch (error) {
    if (error instanceof ApiError) return failed(error);
    throw error;
  }
}

/** The same for a write: once it is done, the pages under the path are read again. */
export async function writeResult<T>(
  path: string,
  run: (api: Client) => Promise<T>,
): Promise<ActionResult<T>> {
  const result = await actionResult(run);
  if (result.ok) revalidatePath(path, "layout");
  return result;
}
