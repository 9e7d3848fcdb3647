import {
  ADMIN_LEVEL,
  type Directory,
  type KeyRow,
  keyAdmits,
  type ProjectRow,
} from "#lib/platform/http/directory.ts";
import type { AccountContext, Caller } from "./context.ts";
import type { Credential, Endpoint, Scope } from "./contract.ts";
import { authenticationFailed, notAuthenticated, notFound, permissionDenied } from "./errors.ts";
import { allows } from "./scopes.ts";

type Candidate = { value: string; where: "Authorization header" | "body" | "query string" };

/** The first credential in the headers or the address of a request; only that one is tried. */
export function candidate(request: Pick<Request, "headers">, url: URL): Candidate | null {
  const header = request.headers.get("authorization");
  const bearer = header?.match(/^Bearer\s+(\S.+)$/)?.[1];
  if (bearer) return { value: bearer, where: "Authorization header" };
  const inQuery = url.searchParams.get("personal_api_key");
  return inQuery ? { value: inQuery, where: "query string" } : null;
}

/** The credential in a body, for requests that carry none elsewhere. */
export function findCandidate(body: unknown): Candidate | null {
  const found = (body as { personal_api_key?: unknown } | null | undefined)?.personal_api_key;
  return typeof found === "string" && found ? { value: found, where: "body" } : null;
}

/** A page of another site must not act with a key that it got hold of. */
export function refuseForeignOrigin(request: Request, url: URL): void {
  const origin = request.headers.get("origin");
  if (!origin) return;
  const host = URL.canParse(origin) ? new URL(origin).host : null;
  if (host !== url.host) throw authenticationFailed("Requests from another origin are not accepted here.");
}

/** Finds out who calls, or refuses with 401. A secret key also tells the project. */
export async function authenticate(
  directory: Directory,
  found: Candidate | null,
  admits: Credential | undefined,
  now: Date,
): Promise<Caller & { secretOf: ProjectRow | null }> {
  if (!found) throw notAuthenticated();
  if (admits === "personal_or_secret_key" && found.value.startsWith("phs_")) {
    const project = (await directory.current()).bySecret.get(found.value);
    if (!project) throw authenticationFailed("The project secret key is not valid.");
    return { user: null, key: null, secretOf: project };
  }
  const caller = await directory.authenticate(found.value, now);
  if (!caller) throw authenticationFailed(`The personal API key found in the ${found.where} is not valid.`);
  return { ...caller, secretOf: null };
}

/** Whether a key's scopes cover what an endpoint asks for: `*` covers all, write includes read. */
export const covers = (key: KeyRow, scope: Scope): boolean => allows(key.scopes, scope);

export function requireScope(key: KeyRow, scope: Scope | null): void {
  if (scope && !covers(key, scope))
    throw permissionDenied(`API key is missing the required scope '${scope}'.`);
}

/** The same for an endpoint, which may do with one of several. */
export function requireDeclaredScope(
  key: KeyRow,
  { scope, or_scopes = [] }: Pick<Endpoint, "scope" | "or_scopes">,
): void {
  if (or_scopes.some((each) => covers(key, each))) return;
  if (scope && or_scopes.length > 0 && !covers(key, scope))
    throw permissionDenied(
      `API key is missing the required scope: one of ${[scope, ...or_scopes].join(", ")}.`,
    );
  requireScope(key, scope);
}

const UNKNOWN_PROJECT = "Project not found.";

/**
 * The project of a call, in the order in which the public service refuses: unknown 404, key restricted to
 * others 403; scope and membership are the caller's next steps.
 *
 * @param named the path's part: an id or "@current"
 * @param token a project token in the query of a GET, which overrides the path
 */
export async function resolveProject(
  directory: Directory,
  caller: Caller & { secretOf: ProjectRow | null },
  named: string,
  token: string | null,
): Promise<ProjectRow> {
  const { projects, byToken } = await directory.current();
  let project: ProjectRow | undefined;
  if (token?.startsWith("phc_")) {
    project = byToken.get(token);
    if (!project) throw authenticationFailed("The project token in the query string is not valid.");
  } else if (named === "@current") {
    project =
      caller.secretOf ?? (caller.user ? (await directory.projectsOf(caller.user, caller.key))[0] : undefined);
  } else if (/^\d{1,9}$/.test(named)) project = projects.get(Number(named));
  if (!project) throw notFound(UNKNOWN_PROJECT);
  if (caller.secretOf && caller.secretOf.id !== project.id)
    throw permissionDenied("This secret key belongs to another project.");
  if (caller.key && !keyAdmits(caller.key, project))
    throw permissionDenied("This API key does not have access to the requested project.");
  return project;
}

/** Members only; a secret key is its project's own. */
export async function requireMember(
  directory: Directory,
  caller: Caller,
  project: ProjectRow,
): Promise<void> {
  if (!caller.user) return;
  if ((await directory.level(project.organization_id, caller.user.id)) === 0)
    throw permissionDenied("You don't have access to the project.");
}

/** Whether the caller administers an organization. */
export async function isAdmin(
  { runtime, user }: Pick<AccountContext, "runtime" | "user">,
  organizationId: string,
): Promise<boolean> {
  return (await runtime.directory.level(organizationId, user.id)) >= ADMIN_LEVEL;
}

export async function requireAdmin(
  context: Pick<AccountContext, "runtime" | "user">,
  organizationId: string,
): Promise<void> {
  if (!(await isAdmin(context, organizationId)))
    throw permissionDenied("Only administrators of the organization may do this.");
}
