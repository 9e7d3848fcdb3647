import type { Context } from "hono";
import type { CaptureMounting } from "#lib/people/context.ts";
import { cors } from "#lib/platform/http/cors.ts";
import { invalid, methodNotAllowed, notAuthenticated, throttled } from "#lib/platform/http/errors.ts";
import { projectOf } from "#lib/platform/http/open.ts";

import { type CaptureBody, readCapture, tokenOfEvent } from "./body.ts";
import { type Envelope, type IngestEvent, parseEvent } from "./event.ts";

/** Where SDKs of all ages send events to. */
const CAPTURE_PATHS = ["/batch", "/capture", "/e", "/i/v0/e", "/track", "/engage"] as const;

type Rejection = { index: number; reason: string };

/** How many refused events a response lists. */
const NAMED_REJECTIONS = 100;

type Sorted = { events: IngestEvent[]; positions: number[]; rejected: Rejection[] };

/** Reads every event of a request, before any of them is stored. */
async function sortOut(body: CaptureBody, token: string, envelope: Envelope): Promise<Sorted> {
  const sorted: Sorted = { events: [], positions: [], rejected: [] };
  let index = 0;
  for await (const group of body.groups()) {
    for (const { raw, refusal } of group) {
      const own = tokenOfEvent(raw);
      const foreign = own && own !== token ? "The event carries the token of another project." : null;
      const parsed = refusal ?? foreign ?? parseEvent(raw, envelope);
      if (typeof parsed === "string") sorted.rejected.push({ index, reason: parsed });
      else {
        sorted.events.push(parsed);
        sorted.positions.push(index);
      }
      index += 1;
    }
  }
  return sorted;
}

async function capture(mounting: CaptureMounting, c: Context): Promise<Response> {
  const url = new URL(c.req.url);
  const body = await readCapture(c.req.raw, url);
  if (!body.token) throw notAuthenticated();
  const now = Date.now();
  const project = await projectOf(mounting, body.token, now, "ingest");
  const wait = mounting.limits.events(body.token, now, body.count);
  if (wait > 0) throw throttled(wait);
  const envelope: Envelope = {
    now,
    sentAt: body.sentAt,
    historical: body.historical,
    unnamed: /^\/engage\/?$/.test(url.pathname) ? "$identify" : null,
  };
  const { events, positions, rejected } = await sortOut(body, body.token, envelope);
  const [first] = rejected;
  if (events.length === 0 && first)
    throw invalid(body.count === 1 ? first.reason : `No event could be stored. The first: ${first.reason}`);
  const written = await mounting.runtime.events.write(project.id, events);
  for (const { index, reason } of written.rejected)
    rejected.push({ index: positions[index] ?? index, reason });
  if (url.searchParams.get("beacon") === "1") return c.body(null, 204);
  if (rejected.length === 0) return c.json({ status: "Ok" });
  rejected.sort((a, b) => a.index - b.index);
  return c.json({ status: "Ok", rejected: rejected.slice(0, NAMED_REJECTIONS) });
}

/** Serves the paths that events are sent to. Both slash forms, any origin. */
export function mountCapture(mounting: CaptureMounting): void {
  const { app } = mounting;
  for (const path of CAPTURE_PATHS) {
    app.use(path, cors());
    app.post(path, (c) => capture(mounting, c));
    app.all(path, (c) => {
      throw methodNotAllowed(c.req.method);
    });
  }
}
