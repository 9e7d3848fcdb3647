import { revalidatePath } from "next/cache";
import type { Client } from "#lib/platform/http/client.ts";
import { ApiError, type ErrorBody } from "#lib/platform/http/errors.ts";
import { getApi } from "./api.ts";

/** What a server action gives back to its form: the data, or the API's error for the field that caused it. */
export type ActionResult<T> = { ok: true; data: T } | { ok: false; error: ErrorBody & { status: number } };

/** Runs an action's calls; the API's errors become results, anything else is a real failure and thrown. */
export async function actionResult<T>(run: (api: Client) => Promise<T>): Promise<ActionResult<T>> {
  const api = await getApi();
  try {
    return { ok: true, data: await run(api) };
  } catch (error) {
    if (error instanceof ApiError) return { ok: false, error: { ...error.body, status: error.status } };
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
