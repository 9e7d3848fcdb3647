import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Database } from "#lib/platform/db/connect.ts";
import { createTestDatabase, urlOf } from "#testing/database.ts";
import {
  eventually,
  PERSONAL_API_KEY,
  PROJECT_TOKEN,
  type Process,
  startProcess,
} from "#testing/processes.ts";

type Sent = {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] };
    scopeSpans: { spans: Span[] }[];
  }[];
};
type Span = { name: string; traceId: string; spanId: string; parentSpanId?: string };

/** What a collector of traces was sent. */
const received: string[] = [];
let collector: Server;
let database: Database;
let server: Process;

beforeAll(async () => {
  collector = createServer(async (request, response) => {
    if (request.url === "/v1/traces") received.push(await text(request));
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  }).listen(0, "127.0.0.1");
  await once(collector, "listening");
  const { port } = collector.address() as AddressInfo;
  database = await createTestDatabase();
  server = await startProcess({
    DATABASE_URL: urlOf(database),
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_SERVICE_NAME: "switchyard-of-a-test",
    OTEL_BSP_SCHEDULE_DELAY: "50",
  });
});
afterAll(async () => {
  await server.end("SIGTERM");
  collector.close();
  await database.close();
});

const spans = (): Span[] =>
  received.flatMap((body) =>
    (JSON.parse(body) as Sent).resourceSpans.flatMap(({ scopeSpans }) =>
      scopeSpans.flatMap((each) => each.spans),
    ),
  );

it("follows a request in the trace that it names, and its statements", async () => {
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const parent = "b7ad6b7169203331";
  const answer = await server.call("GET", "/api/projects/1/persons/?search=canary-search", undefined, {
    authorization: `Bearer ${PERSONAL_API_KEY}`,
    traceparent: `00-${traceId}-${parent}-01`,
  });
  expect(answer.status).toBe(200);
  const own = () => spans().filter((span) => span.traceId === traceId);
  const request = await eventually(
    () => own().find(({ parentSpanId }) => parentSpanId === parent),
    server.output,
  );
  expect(request.name).toBe("GET /api/projects/:project_id/persons");
  const statements = own().filter(({ parentSpanId }) => parentSpanId === request.spanId);
  expect(statements.map(({ name }) => name)).toContain("SELECT");
});

it("follows events and jobs in traces of their own", async () => {
  const event = {
    event: "canary-event",
    distinct_id: "canary-person",
    properties: { $set: { mail: "canary" } },
  };
  await server.call("POST", "/batch/", { api_key: PROJECT_TOKEN, batch: [event] });
  for (const name of ["store events", "job surveys.sweep"]) {
    const found = await eventually(
      () => spans().find((span) => span.name === name),
      () => JSON.stringify(spans().map((span) => span.name)),
    );
    expect(found.parentSpanId ?? "").toBe("");
    await eventually(
      () => spans().some(({ parentSpanId }) => parentSpanId === found.spanId) || undefined,
      server.output,
    );
  }
});

it("names the service, and nothing about people or keys", async () => {
  const [first = ""] = received;
  const { resourceSpans } = JSON.parse(first) as Sent;
  const attributes = resourceSpans[0]?.resource.attributes;
  expect(attributes).toContainEqual({ key: "service.name", value: { stringValue: "switchyard-of-a-test" } });
  const all = received.join();
  expect(all).not.toMatch(/canary/i);
  for (const secret of [PERSONAL_API_KEY, PROJECT_TOKEN]) expect(all).not.toContain(secret);
});
