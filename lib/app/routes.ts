import { type Context, Hono, type Next } from "hono";
import { routePath } from "hono/route";
import type { Availability } from "#lib/platform/db/availability.ts";
import { asDatabaseUnavailable, tookTooLong } from "#lib/platform/db/errors.ts";
import { releaseBody } from "#lib/platform/http/body/body-memory.ts";
import { ApiError, errorResponse } from "#lib/platform/http/errors.ts";
import { log } from "#lib/platform/log.ts";
import { REQUEST_ID, requestIdOf } from "#lib/platform/request-id.ts";
import { tracer } from "#lib/platform/tracing.ts";
import { ownerOf } from "./server/paths.ts";
import { countRequest, countSdk } from "./server/request-metrics.ts";

function answerToError(error: unknown, c: Context): Response {
  const { request_id } = c.env;
  if (error instanceof ApiError) return errorResponse(error, request_id);
  const away = tookTooLong(error)
    ? "The database took too long to answer."
    : asDatabaseUnavailable(error)?.message;
  if (away)
    return errorResponse(
      new ApiError(503, "server_error", "database_unavailable", away, { headers: { "retry-after": "1" } }),
      request_id,
    );
  log().error({ error, request_id, method: c.req.method, route: routePath(c) }, "A request failed.");
  return errorResponse(new ApiError(500, "server_error", "error", "A server error occurred."), request_id);
}

/** The pattern of what is done for every request. */
const EVERY_PATH = "/*";

/** Requests that take longer are worth a line in the log. */
const SLOW_MS = 1_000;

/** What is known of a request while it is answered; handlers have it as `c.env`. */
type Answering = {
  request_id: string;
  address: string | null;
  context: Context | null;
  /** The headers that every answer has. */
  everyHeader: (status: number) => Record<string, string>;
  /** The answer that was made with them. */
  complete: Response | null;
};

/** Where a request came from. */
type Sender = { address?: string | null };

/** Remembers which of the routes answers. */
function remember(c: Context, next: Next): Promise<void> {
  c.env.context = c;
  return next();
}

/** The pattern of the path that was asked for. */
function routeOf({ context }: Answering): string {
  const pattern = context ? routePath(context) : EVERY_PATH;
  return pattern === EVERY_PATH ? "unknown" : pattern;
}

/** Counts a request by the pattern of its path. */
function count(
  { method, headers, url }: Request,
  { status }: Response,
  answering: Answering,
  ms: number,
): void {
  countRequest(method, routeOf(answering), status, ms);
  if (status < 400) countSdk(headers.get("user-agent"), url);
}

/** Logs a slow request, or every one at level debug. */
function note({ method }: Request, { status }: Response, answering: Answering, ms: number): void {
  if (ms < SLOW_MS && !log().isLevelEnabled("debug")) return;
  const { request_id } = answering;
  const fields = { request_id, method, route: routeOf(answering), status, ms: Math.round(ms) };
  if (ms >= SLOW_MS) log().warn(fields, "A request was slow.");
  else log().debug(fields, "A request was answered.");
}

/**
 * Nothing is taken for another type than it says, nothing is kept that does not say for how long it may be, and what
 * was answered from memory says so. Every answer has the id of its request.
 */
function headersOf(status: number, staleSince: Date | null, requestId: string): Record<string, string> {
  const stale = staleSince !== null && status < 400;
  return {
    [REQUEST_ID]: requestId,
    ...(stale && { "switchyard-stale-since": staleSince.toISOString() }),
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  };
}

/** An answer with the headers that every one has. */
function completed(response: Response, { complete, everyHeader }: Answering): Response {
  if (response === complete) return response;
  const { headers, status } = response;
  for (const [name, value] of Object.entries(everyHeader(status)))
    if (name !== "cache-control" || !headers.has(name)) headers.set(name, value);
  return response;
}

/** Routes without any; errors of those that are added are answered in the API's form. */
export function createRoutes(unknownPath: () => ApiError): Hono {
  const app = new Hono({ strict: false });
  app.use(EVERY_PATH, remember);
  app.onError(answerToError);
  app.notFound((c) => answerToError(unknownPath(), c));
  return app;
}

/**
 * Routes as one function, with the paths that they are on.
 *
 * @param options.isCounted whether somebody reads the metrics
 */
export function handleOf(
  app: Hono,
  { availability, isCounted }: { availability: Pick<Availability, "away_since">; isCounted: boolean },
) {
  const answer = async (request: Request, sender: Sender = {}): Promise<Response> => {
    const began = performance.now();
    const request_id = requestIdOf(request.headers.get(REQUEST_ID));
    const answering: Answering = {
      request_id,
      address: sender.address ?? null,
      context: null,
      everyHeader: (status) => headersOf(status, availability.away_since, request_id),
      complete: null,
    };
    const work = async () => app.fetch(request, answering);
    try {
      const response = await (tracer()?.request(request, work, () => routeOf(answering)) ?? work());
      const ms = performance.now() - began;
      if (isCounted) count(request, response, answering, ms);
      note(request, response, answering, ms);
      return completed(response, answering);
    } finally {
      releaseBody(request);
    }
  };
  const paths = [...new Set(app.routes.map(({ path }) => path))].filter((path) => path !== EVERY_PATH);
  return Object.assign(answer, { paths, ownsTarget: ownerOf(paths) });
}
