import { reach } from "#lib/dashboard/api.ts";
import { readSession } from "#lib/dashboard/session.ts";
import { notAuthenticated } from "#lib/http/errors.ts";

type Context = { params: Promise<{ project_id: string; id: string }> };

const KEPT = ["content-type", "content-disposition"];

/** A download of responses: the API's own stream, the key added here so that it never reaches the browser. */
export async function GET(request: Request, { params }: Context): Promise<Response> {
  const session = await readSession();
  if (!session) return Response.json(notAuthenticated().body, { status: 401 });
  const { project_id, id } = await params;
  const { base, send } = reach(session.api_base_url);
  const path = ["api", "projects", project_id, "surveys", id, "export"].map(encodeURIComponent).join("/");
  const target = new URL(`${base}/${path}/`);
  target.search = new URL(request.url).search;
  const answer = await send(
    new Request(target, { headers: { authorization: `Bearer ${session.api_key}` }, redirect: "error" }),
  );
  const headers = new Headers({ "cache-control": "private, no-store", vary: "cookie" });
  for (const name of KEPT) {
    const value = answer.headers.get(name);
    if (value) headers.set(name, value);
  }
  return new Response(answer.body, { status: answer.status, headers });
}
