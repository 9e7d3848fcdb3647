"use server";

import type { Route } from "next";
import { redirect } from "next/navigation";
import { localPath } from "#lib/app/session/local-path.ts";
import { isAllowedBase, signIn, signOut } from "#lib/app/session/session.ts";
import { type WhoProblem, whoHas } from "#lib/app/session/who.ts";

/** The problem and its field; empty before the first attempt. */
export type SignInState = { key?: string; base?: string };

/** Valid header characters; anything else is not a key. */
const KEY = /^[\x21-\x7e]{8,400}$/;

const NOT_A_KEY = "This does not look like a personal API key. Paste the whole key, which begins with phx_.";

const problems: Record<WhoProblem, SignInState> = {
  invalid: { key: "This key is not valid here. It may be mistyped, expired or revoked." },
  forbidden: { key: "This key is valid, but it cannot open the dashboard." },
  unreachable: { base: "The API did not respond. Try again in a moment." },
  unexpected: { base: "This address is not an API that Switchyard can use." },
};

/** Checks a key with its API, stores it in the session and redirects to the requested page. */
export async function signInAction(_before: SignInState, form: FormData): Promise<SignInState> {
  const api_key = String(form.get("api_key") ?? "").trim();
  const api_base_url = String(form.get("api_base_url") ?? "own");
  if (!api_key) return { key: "Paste a personal API key." };
  if (!KEY.test(api_key)) return { key: NOT_A_KEY };
  if (!isAllowedBase(api_base_url)) return { base: "This address is not among the allowed ones." };
  const found = await whoHas(api_key, api_base_url);
  if ("problem" in found) return problems[found.problem];
  await signIn({ api_key, api_base_url });
  redirect(localPath(String(form.get("next") ?? "")) as Route);
}

/** Who was signed in on a page, and with which API. */
type SignedInAs = { email: string | null; api_base_url: string };

/**
 * Checks a key of the person who was signed in on a page, and starts a session that goes on there.
 *
 * @returns the problem, if there is one
 */
export async function signInAgainAction(as: SignedInAs, given: string): Promise<string | undefined> {
  const { email, api_base_url } = as;
  const api_key = given.trim();
  if (!KEY.test(api_key) || !isAllowedBase(api_base_url)) return NOT_A_KEY;
  const found = await whoHas(api_key, api_base_url);
  if ("problem" in found) return Object.values(problems[found.problem])[0];
  // What is on the page was typed by somebody else, and would be saved in another name.
  if (email !== null && found.who.user?.email !== email)
    return `This key belongs to somebody else. To continue here, use a key of ${email}.`;
  await signIn({ api_key, api_base_url });
  return undefined;
}

export async function signOutAction(): Promise<void> {
  await signOut();
  redirect("/sign-in");
}
