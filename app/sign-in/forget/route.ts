import { redirect } from "next/navigation";
import { clearDeadCookie, signInPath } from "#lib/dashboard/session.ts";

/** Takes away a cookie that opens no session (a live one stays), then asks to sign in. */
export async function GET(request: Request): Promise<never> {
  await clearDeadCookie();
  redirect(signInPath(new URL(request.url).searchParams.get("next") ?? ""));
}
