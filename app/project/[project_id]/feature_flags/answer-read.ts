import { apiWith } from "#lib/app/session/api.ts";
import { readSession } from "#lib/app/session/session.ts";
import { readBody } from "#lib/platform/http/body/body.ts";
import { releaseBody } from "#lib/platform/http/body/body-memory.ts";
import type { Client } from "#lib/platform/http/client.ts";
import { ApiError, notAuthenticated } from "#lib/platform/http/errors.ts";

/** Responds to the browser with what the signed-in key can read; API errors keep their format. */
export async function answerRead(read: (api: Client) => Promise<unknown>): Promise<Response> {
  const session = await readSession();
  if (!session) return Response.json(notAuthenticated().body, { status: 401 });
  try {
    return Response.json(await read(apiWith(session)), {
      headers: { "cache-control": "private, no-store" },
    });
  } catch (error) {
    if (error instanceof ApiError) return Response.json(error.body, { status: error.status });
    throw error;
  }
}

/** The body of such a request, within the API's own limits; the API checks what is in it. */
export async function bodyOf(request: Request): Promise<never> {
  try {
    return (await readBody(request)) as never;
  } finally {
    releaseBody(request);
  }
}
