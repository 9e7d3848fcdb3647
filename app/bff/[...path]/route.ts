import { reach } from "#lib/app/session/api.ts";
import { readSession } from "#lib/app/session/session.ts";
import { notAuthenticated, notFound } from "#lib/platform/http/errors.ts";

type Context = { params: Promise<{ path: string[] }> };

/** Reads for the browser: the same path of the API, the key added here so that it never gets there. */
export async function GET(request: Request, { params }: Context): Promise<Response> {
  const { path } = await params;
  const session = await readSession();
  if (!session) return Response.json(notAuthenticated().body, { status: 401 });
  if (path[0] !== "api" || path.includes("..")) return Response.json(notFound().body, { status: 404 });
  const { base, send } = reach(session.api_base_url);
  const target = new URL(`${base}/${path.map(encodeURIComponent).join("/").replaceAll("%40", "@")}/`);
  target.search = new URL(request.url).search;
  const answer = await send(
    new Request(target, { headers: { authorization: `Bearer ${session.api_key}` }, redirect: "error" }),
  );
  const type = answer.headers.get("content-type") ?? "application/json";
  const file = answer.headers.get("content-disposition");
  return new Response(await answer.text(), {
    status: answer.status,
    headers: {
      "content-type": type,
      "cache-control": "private, no-store",
      vary: "cookie",
      ...(file && { "content-disposition": file }),
    },
  });
}
