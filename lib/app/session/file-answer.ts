import { notAuthenticated } from "#lib/platform/http/errors.ts";
import { reach } from "./api.ts";
import { readSession } from "./session.ts";

const PASSED_ON = [
  "content-type",
  "content-disposition",
  "content-security-policy",
  "x-content-type-options",
];

/**
 * A file of the API for the browser: its own stream, the key added here so that it never reaches the browser.
 *
 * @param path parts of the API's path after /api/
 */
export async function answerFile(method: "GET" | "POST", path: string[], search = ""): Promise<Response> {
  const session = await readSession();
  if (!session) return Response.json(notAuthenticated().body, { status: 401 });
  const { base, send } = reach(session.api_base_url);
  const target = new URL(`${base}/api/${path.map(encodeURIComponent).join("/")}/`);
  target.search = search;
  const headers = { authorization: `Bearer ${session.api_key}` };
  const answer = await send(new Request(target, { method, headers, redirect: "error" }));
  const forwarded = new Headers({ "cache-control": "private, no-store", vary: "cookie" });
  for (const name of PASSED_ON) {
    const value = answer.headers.get(name);
    if (value) forwarded.set(name, value);
  }
  return new Response(answer.body, { status: answer.status, headers: forwarded });
}
