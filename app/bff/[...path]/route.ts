import { reach } from "#lib/app/session/api.ts";
import { readsByPost } from "#lib/app/session/browser-reads.ts";
import { readSession } from "#lib/app/session/session.ts";
import { type ApiError, notAuthenticated, notFound } from "#lib/platform/http/errors.ts";
import { asksForProgress, LINES } from "#lib/platform/http/progress-schema.ts";

type Context = { params: Promise<{ path: string[] }> };

const refuse = ({ status, body }: ApiError) => Response.json(body, { status });

/** Sends a call to the same path of the API; the key is added here, so that it never gets to the browser. */
async function passOn(request: Request, path: string[], sending: RequestInit): Promise<Response> {
  const session = await readSession();
  if (!session) return refuse(notAuthenticated());
  if (path[0] !== "api" || path.includes("..")) return refuse(notFound());
  const { base, send } = reach(session.api_base_url);
  const target = new URL(`${base}/${path.map(encodeURIComponent).join("/").replaceAll("%40", "@")}/`);
  target.search = new URL(request.url).search;
  const headers = new Headers(sending.headers);
  headers.set("authorization", `Bearer ${session.api_key}`);
  const answer = await send(new Request(target, { ...sending, headers, redirect: "error" }));
  const type = answer.headers.get("content-type") ?? "application/json";
  const file = answer.headers.get("content-disposition");
  // Files, and what reports its progress, are passed on as they come, and stop when the browser leaves.
  return new Response(type === LINES || file ? answer.body : await answer.text(), {
    status: answer.status,
    headers: {
      "content-type": type,
      "cache-control": "private, no-store",
      vary: "cookie",
      ...(file && { "content-disposition": file }),
    },
  });
}

/** Reads for the browser. */
export async function GET(request: Request, { params }: Context): Promise<Response> {
  return passOn(request, (await params).path, {});
}

/** Reads that take a body: the API's limits of its size are also those here, for it is the API that reads it. */
export async function POST(request: Request, { params }: Context): Promise<Response> {
  const { path } = await params;
  if (!readsByPost(`/${path.join("/")}/`)) return refuse(notFound());
  const accept = asksForProgress(request.headers) ? LINES : "application/json";
  const headers = { "content-type": "application/json", accept };
  return passOn(request, path, {
    method: "POST",
    headers,
    body: request.body,
    duplex: "half",
  } as RequestInit);
}
