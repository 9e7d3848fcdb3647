import { headers } from "next/headers";
import { config } from "#lib/platform/config.ts";
import { requireWho } from "./who.ts";

/**
 * Where people reach the service, without a slash at the end: the other Switchyard that one is signed in to, else
 * PUBLIC_URL, else the address that the page was requested at.
 */
export async function publicAddress(): Promise<string> {
  const { session } = await requireWho();
  if (session.api_base_url !== "own") return session.api_base_url;
  const { publicUrl } = config();
  if (publicUrl) return publicUrl;
  const sent = await headers();
  const host = sent.get("x-forwarded-host") ?? sent.get("host") ?? "";
  return `${sent.get("x-forwarded-proto")?.split(",")[0] ?? "http"}://${host}`;
}
