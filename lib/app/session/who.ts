import { redirect } from "next/navigation";
import { cache } from "react";
import { personalApiKeyContract } from "#lib/identity/personal_api_keys/contract.ts";
import { projectContract } from "#lib/identity/projects/contract.ts";
import { userContract } from "#lib/identity/users/contract.ts";
import { ApiError } from "#lib/platform/http/errors.ts";
import { log } from "#lib/platform/log.ts";
import { apiFor, apiWith } from "./api.ts";
import { requestedPath, requireSession, type Session, signInPath } from "./session.ts";

type Client = ReturnType<typeof apiWith>;
type Person = { first_name: string; last_name: string; email: string };

/** What a key opens. */
export type Who = {
  /** Whose key it is; null if the API does not say. */
  user: { name: string; email: string } | null;
  /** What the key may do; null if the API does not say. */
  scopes: readonly string[] | null;
  projects: readonly { id: number; name: string; timezone: string }[];
};

/** Why a key gives no access: refused, no rights, no response, or not a response of this API. */
export type WhoProblem = "invalid" | "forbidden" | "unreachable" | "unexpected";

const EVERY_PROJECT = "1000";

/** Asks the API whose key this is and which projects it opens. Once a request, however often it is called. */
export const whoHas = cache(
  async (api_key: string, api_base_url: string): Promise<{ who: Who } | { problem: WhoProblem }> => {
    const api = apiWith({ api_key, api_base_url });
    try {
      // Any valid key may list its projects, so this call alone decides.
      const [projects, key] = await Promise.all([
        api.call(projectContract.list, { query: { limit: EVERY_PROJECT } }),
        unlessRefused(api.call(personalApiKeyContract.current)),
      ]);
      const user = key?.user ?? (await unlessRefused(api.call(userContract.retrieve)));
      return {
        who: {
          user: user && { name: nameOf(user), email: user.email },
          scopes: key?.scopes ?? null,
          projects: projects.results.map(({ id, name, timezone }) => ({ id, name, timezone })),
        },
      };
    } catch (error) {
      return { problem: problemOf(error) };
    }
  },
);

function problemOf(error: unknown): WhoProblem {
  if (!(error instanceof ApiError)) {
    log().error({ error }, "The API did not respond to the dashboard.");
    return "unreachable";
  }
  if (error.status === 401) return "invalid";
  if (error.status === 403) return "forbidden";
  return error.status >= 500 && error.code !== "contract" ? "unreachable" : "unexpected";
}

async function unlessRefused<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

const nameOf = ({ first_name, last_name, email }: Person): string =>
  `${first_name} ${last_name}`.trim() || email;

/**
 * Whose key is signed in and what it opens; a key that the API refuses leads to the sign-in page.
 *
 * @throws Error when the API does not respond
 */
export async function requireWho(): Promise<{ session: Session; who: Who; api: Client }> {
  const session = await requireSession();
  const found = await whoHas(session.api_key, session.api_base_url);
  if ("who" in found) return { session, who: found.who, api: apiFor(session) };
  if (found.problem === "invalid" || found.problem === "forbidden")
    redirect(signInPath(await requestedPath(), "expired"));
  throw new Error(`The API at ${session.api_base_url} gave an unexpected response (${found.problem}).`);
}
