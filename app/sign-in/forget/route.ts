import { redirect } from "next/navigation";
import { clearDeadCookie, signInPath } from "#lib/app/session/session.ts";

/** Deletes a cookie without a valid session (a live one stays), then asks to sign in. */
export async function GET(request: Request): Promise<never> {
  await clearDeadCookie();
  redirect(signInPath(new URL(request.url).searchParams.get("next") ?? ""));
}
