import type { Context, Hono } from "hono";
import { replicaFailed } from "#lib/platform/db/replica.ts";
import { readBody } from "#lib/platform/http/body/body.ts";
import { storable } from "#lib/platform/http/body/storable.ts";
import { NO_SIBLINGS, type Siblings } from "#lib/platform/siblings.ts";
import { type Admission, createAdmission } from "./admission/admission.ts";
import { rateLimit } from "./admission/limits.ts";
import {
  authenticate,
  candidate,
  findCandidate,
  refuseForeignOrigin,
  requireDeclaredScope,
  requireMember,
  resolveProject,
} from "./auth.ts";
import type { AccountContext, MemberContext, ProjectContext, Runtime } from "./context.ts";
import {
  type Contract,
  type Endpoint,
  type InProject,
  type Input,
  onlyReads,
  type Reply,
} from "./contract.ts";
import { methodNotAllowed, notFound, throttled } from "./errors.ts";
import { parse } from "./validation.ts";

type ContextOf<E, R extends Runtime> = E extends { credential: "personal_or_secret_key" }
  ? ProjectContext<R>
  : InProject<E> extends true
    ? MemberContext<R>
    : AccountContext<R>;

/** A verb: the parsed call in, the answer's data out (or a ready Response where the form is a special one). */
type Verb<E, R extends Runtime> = (
  context: ContextOf<E, R>,
  input: Input<E>,
) => Promise<Reply<E> | Response> | Reply<E> | Response;

/** A service serves a contract when it has a verb for each of its endpoints. */
export type Verbs<C extends Contract, R extends Runtime = Runtime> = {
  [Name in keyof C]: Verb<C[Name], R>;
};

/** How much a caller may ask for in a minute; 0 is no limit. */
export type Limits = {
  /** Management calls of a key. */
  management: number;
  /** Calls to the SDKs' paths, of a token or key. */
  definitions: number;
  /** Events sent with a token, however many are in one call. */
  events: number;
};

/** A call as it was sent. */
export type Sent = { params: Record<string, string>; query: Record<string, string>; body: unknown };

/** @param context what the verb is handed; its runtime is the one that was mounted */
type Around = (
  declared: Endpoint,
  context: unknown,
  sent: Sent,
  work: () => Promise<unknown>,
) => Promise<unknown>;

/** What mounting needs from the process. */
export type Mounting<R extends Runtime = Runtime> = {
  app: Hono;
  runtime: R;
  limits: ReturnType<typeof createLimits>;
  admission: Admission;
  /** Resolves once what has been committed is served by every process behind the listener; of one project, or of all. */
  settled: (projectId: number | null) => Promise<void>;
  /** What surrounds a verb's work: it may be run several times, or answered otherwise. */
  around: Around;
  /** Tells every process behind the listener that replicas may lack a change of a project. */
  changed: (projectId: number) => void;
};

const createLimits = (perMinute: Limits, siblings: Siblings) => ({
  management: rateLimit(perMinute.management, "management", siblings),
  definitions: rateLimit(perMinute.definitions, "definitions", siblings),
  events: rateLimit(perMinute.events, "events", siblings),
});

/** What siblings are asked after a change. */
export const SETTLED = "settled";
/** What a process reports to them after one, where there is a replica. */
const CHANGED = "changed";

function createChanged({ replica }: Runtime, siblings: Siblings): Mounting["changed"] {
  if (!replica) return () => undefined;
  siblings.onTold(CHANGED, (projectId) => replica.changed(Number(projectId)));
  return (projectId) => {
    replica.changed(projectId);
    siblings.tell(CHANGED, projectId);
  };
}

export const createMounting = <R extends Runtime>(
  app: Hono,
  runtime: R,
  limits: Limits,
  {
    siblings = NO_SIBLINGS,
    settled,
    around,
  }: {
    siblings?: Siblings | undefined;
    settled?: (projectId: number | null) => Promise<void>;
    around?: Around;
  } = {},
): Mounting<R> => ({
  app,
  runtime,
  limits: createLimits(limits, siblings),
  admission: createAdmission(),
  settled: async (projectId) => {
    await Promise.all([settled?.(projectId), siblings.ask(SETTLED, projectId)]);
  },
  around: around ?? ((_declared, _context, _sent, work) => work()),
  changed: createChanged(runtime, siblings),
});

/** A body is searched for a key only up to this size: nobody has said yet who is calling. */
const BODY_WITH_KEY_LIMIT = 64 * 1024;

/** `/a/{b}/` as the router writes it: `/a/:b`. */
const routePath = (path: string) => path.replace(/\{(\w+)\}/g, ":$1").replace(/\/$/, "");

/** What a verb is handed. */
export type Parsed = { params: unknown; query: unknown; body: unknown };

/** A path that cannot name a record names none. */
function pathOf(schema: NonNullable<Endpoint["params"]>, given: Record<string, string>): unknown {
  const parsed = schema.safeParse(given);
  if (!parsed.success) throw notFound();
  return parsed.data;
}

/** @throws ApiError 404 for a path that names nothing, 400 for what the contract does not admit */
export function parseInput(declared: Endpoint, { params, query, body }: Sent): Parsed {
  return {
    params: declared.params ? pathOf(declared.params, params) : {},
    query: declared.query ? parse(declared.query, storable(query)) : {},
    body: declared.body ? parse(declared.body, body ?? {}) : undefined,
  };
}

type Body = () => Promise<unknown>;

/** The body of a request, read when it is needed; at once where the key can only be in it. */
async function credentialAndBody(request: Request, url: URL): Promise<[ReturnType<typeof candidate>, Body]> {
  const found = candidate(request, url);
  if (found) return [found, () => readBody(request)];
  const body = await readBody(request, BODY_WITH_KEY_LIMIT).catch(() => undefined);
  return [findCandidate(body), async () => body];
}

async function contextOf(
  mounting: Mounting,
  declared: Endpoint,
  c: Context,
  url: URL,
  found: ReturnType<typeof candidate>,
) {
  const now = new Date();
  const request = c.req.raw;
  const { runtime, limits } = mounting;
  const { directory, db } = runtime;
  const caller = await authenticate(directory, found, declared.credential, now);
  const named = c.req.param("project_id");
  let project = null;
  if (named !== undefined) {
    const token =
      request.method === "GET" ? (url.searchParams.get("token") ?? url.searchParams.get("api_key")) : null;
    project = await resolveProject(directory, caller, named, token);
  }
  if (caller.key) requireDeclaredScope(caller.key, declared);
  if (project) await requireMember(directory, caller, project);
  const wait = caller.key ? limits[declared.limit ?? "management"](caller.key.id, now.getTime()) : 0;
  if (wait > 0) throw throttled(wait);
  return { db, runtime, user: caller.user, key: caller.key, now, headers: request.headers, url, project };
}

/** Definitions are what SDKs wait for; everything else is management. */
async function admitted<T>(
  { admission }: Mounting,
  { limit }: Endpoint,
  { project, key }: Awaited<ReturnType<typeof contextOf>>,
  work: () => Promise<T>,
): Promise<T> {
  const caller = project?.id ?? key?.id ?? "";
  if (limit !== "definitions") return admission.manage(caller, work);
  await admission.toBegin("evaluation", caller);
  return work();
}

/** What a verb returned, and the moment as of which a replica knew it; null: the database itself answered. */
type Outcome = { reply: unknown; as_of: Date | null };

/** Asks the replica where it may answer and does, as of the moment that it has come to; otherwise the database. */
async function ask<C extends Awaited<ReturnType<typeof contextOf>>>(
  declared: Endpoint,
  context: C,
  work: (context: C) => Promise<unknown>,
): Promise<Outcome> {
  const { runtime, project } = context;
  const copy = declared.from_replica && project ? runtime.replica?.forReads(project.id) : null;
  if (copy) {
    try {
      const { db, as_of } = copy;
      return { reply: await work({ ...context, db, now: as_of }), as_of };
    } catch (error) {
      if (!replicaFailed(error)) throw error;
    }
  }
  return { reply: await work(context), as_of: null };
}

function answerOf(declared: Endpoint, { reply, as_of }: Outcome, c: Context): Response {
  const response = responseOf(declared, reply, c);
  if (as_of) response.headers.set("switchyard-as-of", as_of.toISOString());
  return response;
}

function responseOf(declared: Endpoint, reply: unknown, c: Context): Response {
  if (reply instanceof Response) return reply;
  if (!declared.response) return c.body(null, declared.status as 204);
  return c.json(reply as object, declared.status as 200);
}

/** Serves every endpoint of a contract by the verb of the same name. */
export function mount<C extends Contract, R extends Runtime>(
  mounting: Mounting<R>,
  contract: C,
  verbs: Verbs<C, R>,
): void {
  for (const [name, declared] of Object.entries(contract)) {
    const verb = verbs[name] as (context: unknown, input: Parsed) => Promise<unknown>;
    mounting.app.on(declared.method, routePath(declared.path), async (c) => {
      const url = new URL(c.req.url);
      refuseForeignOrigin(c.req.raw, url);
      // Whether the caller may is settled before its body is looked at.
      const [found, body] = await credentialAndBody(c.req.raw, url);
      const context = await contextOf(mounting, declared, c, url, found);
      const sent = await body();
      const work = async () => {
        const call = { params: c.req.param(), query: Object.fromEntries(url.searchParams), body: sent };
        const input = parseInput(declared, call);
        return ask(declared, context, (asked) =>
          mounting.around(declared, asked, call, () => verb(asked, input)),
        );
      };
      const outcome = await admitted(mounting, declared, context, work);
      if (!onlyReads(declared)) {
        if (context.project) mounting.changed(context.project.id);
        // The client's next request may reach another process.
        await mounting.settled(context.project?.id ?? null);
      }
      return answerOf(declared, outcome, c);
    });
  }
}

/** After every contract is mounted: the other methods of known paths are 405, for callers who may know. */
export function mountRefusals(mounting: Mounting, contracts: Contract[]): void {
  const paths = new Set(contracts.flatMap((contract) => Object.values(contract).map((e) => e.path)));
  for (const path of paths) {
    mounting.app.all(routePath(path), async (c) => {
      const found = candidate(c.req.raw, new URL(c.req.url));
      await authenticate(mounting.runtime.directory, found, "personal_or_secret_key", new Date());
      throw methodNotAllowed(c.req.method);
    });
  }
}
