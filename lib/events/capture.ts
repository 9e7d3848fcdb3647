import type { Context } from "hono";
import { cors } from "#lib/http/cors.ts";
import { invalid, methodNotAllowed, notAuthenticated } from "#lib/http/errors.ts";
import type { Mounting } from "#lib/http/mount.ts";
import { projectOf } from "#lib/sdk/caller.ts";
import { readCapture, tokenOfEvent } from "./body.ts";
import { type Envelope, type IngestEvent, parseEvent } from "./event.ts";

/** Where SDKs of all ages send events to. */
const CAPTURE_PATHS = ["/batch", "/capture", "/e", "/i/v0/e", "/track", "/engage"] as const;

type Rejection = { index: number; reason: string };

/** How many refused events an answer names. */
const NAMED_REJECTIONS = 100;

type Sorted = { events: IngestEvent[]; positions: number[]; rejected: Rejection[] };

function sortOut(raw: unknown[], token: string, envelope: Envelope): Sorted {
  const sorted: Sorted = { events: [], positions: [], rejected: [] };
  for (const [index, item] of raw.entries()) {
    const own = tokenOfEvent(item);
    const parsed =
      own && own !== token ? "The event carries the token of another project." : parseEvent(item, envelope);
    if (typeof parsed === "string") sorted.rejected.push({ index, reason: parsed });
    else {
      sorted.events.push(parsed);
      sorted.positions.push(index);
    }
  }
  return sorted;
}

async function capture(mounting: Mounting, c: Context): Promise<Response> {
  const url = new URL(c.req.url);
  const body = await readCapture(c.req.raw, url);
  if (!body.token) throw notAuthenticated();
  const now = Date.now();
  const project = await projectOf(mounting, body.token, now);
  const envelope: Envelope = {
    now,
    sentAt: body.sentAt,
    historical: body.historical,
    unnamed: /^\/engage\/?$/.test(url.pathname) ? "$identify" : null,
  };
  const { events, positions, rejected } = sortOut(body.events, body.token, envelope);
  const [first] = rejected;
  if (events.length === 0 && first)
    throw invalid(
      body.events.length === 1 ? first.reason : `No event can be stored. The first: ${first.reason}`,
    );
  const written = await mounting.runtime.events.write(project.id, events);
  for (const { index, reason } of written.rejected)
    rejected.push({ index: positions[index] ?? index, reason });
  if (url.searchParams.get("beacon") === "1") return c.body(null, 204);
  if (rejected.length === 0) return c.json({ status: "Ok" });
  rejected.sort((a, b) => a.index - b.index);
  return c.json({ status: "Ok", rejected: rejected.slice(0, NAMED_REJECTIONS) });
}

/** Serves the paths that events are sent to. Both slash forms, any origin. */
export function mountCapture(mounting: Mounting): void {
  const { app } = mounting;
  for (const path of CAPTURE_PATHS) {
    app.use(path, cors());
    app.post(path, (c) => capture(mounting, c));
    app.all(path, (c) => {
      throw methodNotAllowed(c.req.method);
    });
  }
}
