"use server";

import { revalidatePath } from "next/cache";
import { headers } from "next/headers";
import { reach } from "#lib/app/session/api.ts";
import { requireSession } from "#lib/app/session/session.ts";
import { type Trial, type Tried, trialAddress } from "#lib/app/session/try-it.ts";

const BODY_SHOWN = 200_000;
const UNTOLD = new Set(["set-cookie", "connection", "keep-alive", "transfer-encoding"]);

/** The public origin of this server, used for next-page URLs in responses. Nothing is sent there. */
async function ownOrigin(): Promise<string> {
  const requestHeaders = await headers();
  const origin = `${requestHeaders.get("x-forwarded-proto") ?? "http"}://${requestHeaders.get("host") ?? "localhost"}`;
  return URL.canParse(origin) ? new URL(origin).origin : "http://localhost";
}

/** Makes a call with the signed-in key, to the API that the key belongs to and nowhere else. */
export async function tryIt(
  trial: Trial,
): Promise<{ ok: true; data: Tried } | { ok: false; problem: string }> {
  const session = await requireSession();
  const { base, send } = reach(session.api_base_url);
  const address = trialAddress(session.api_base_url === "own" ? await ownOrigin() : base, trial);
  if (!address)
    return { ok: false, problem: "Only calls under /api/ of the API you are signed in to can be tried." };
  const sent = trial.method === "GET" ? null : trial.body;
  const sending: Record<string, string> = { authorization: `Bearer ${session.api_key}` };
  if (sent !== null) sending["content-type"] = "application/json";
  const begun = performance.now();
  try {
    const answer = await send(
      new Request(address, { method: trial.method, headers: sending, body: sent, redirect: "manual" }),
    );
    const text = await answer.text();
    const ms = performance.now() - begun;
    if (trial.method !== "GET") revalidatePath("/project/[project_id]", "layout");
    return {
      ok: true,
      data: {
        status: answer.status,
        ms,
        headers: [...answer.headers].filter(([name]) => !UNTOLD.has(name)),
        body: text.slice(0, BODY_SHOWN),
        cut_from: text.length > BODY_SHOWN ? text.length : null,
      },
    };
  } catch (error) {
    console.error("A call from the API reference got no response:", error);
    return { ok: false, problem: "The API did not respond, so the outcome of the call is unknown." };
  }
}
