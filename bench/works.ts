import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Work } from "./measure.ts";
import { type BenchService, seedFlags } from "./service.ts";

const FLAGS = "/api/projects/1/feature_flags/";

const post = (contentType: string, body: string) => `
wrk.method = "POST"
wrk.headers["Content-Type"] = "${contentType}"
wrk.body = '${body}'
`;

const createScript = `
local n, salt = 0, tostring(os.time()) .. tostring(math.random(1000000))
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
request = function()
  n = n + 1
  return wrk.format(nil, nil, nil, '{"key":"w-' .. salt .. '-' .. n .. '","name":"bench"}')
end
`;

const EVENTS = 100;
const BODIES = 400;

/** Ready batches in a file: the load generator must not spend its time on packing. Sent again they count once. */
function ingestScript(token: string): string {
  const file = join(tmpdir(), `switchyard-bench-batches-${process.pid}`);
  const bodies = Array.from({ length: BODIES }, (_, n) => {
    const batch = Array.from({ length: EVENTS }, (_, i) => ({
      event: i % 3 === 0 ? "$feature_flag_called" : "page viewed",
      distinct_id: `person-${(n * EVENTS + i) % 5_000}`,
      timestamp: new Date(Date.now() - (n * EVENTS + i) * 1_000).toISOString(),
      properties: {
        $feature_flag: `bench-flag-00${(i % 30) + 100}`,
        $feature_flag_response: i % 2 === 0,
        path: `/page/${i}`,
      },
    }));
    return gzipSync(JSON.stringify({ api_key: token, batch, sent_at: new Date().toISOString() }));
  });
  const lengths = bodies.map((body) => body.length);
  writeFileSync(file, Buffer.concat(bodies));
  return `
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Content-Encoding"] = "gzip"
local lengths, bodies, n = { ${lengths.join(",")} }, {}, 0
local file = io.open("${file}", "rb")
for i = 1, #lengths do bodies[i] = file:read(lengths[i]) end
file:close()
request = function()
  n = n % #bodies + 1
  return wrk.format(nil, nil, nil, bodies[n])
end
`;
}

/** The flags of the installations whose figures are published, beside our own size. */
const COUNTS = { usual: 350, many: 1_000 };

/** Everything that is measured, in the order printed. */
export async function worksOf(service: BenchService): Promise<Work[]> {
  const ids = await seedFlags(service, COUNTS.many);
  const smaller = await service.api("POST", "/api/projects/", { name: "Smaller" });
  await seedFlags(service, COUNTS.usual, smaller.id);
  const person = `"distinct_id":"user-42","person_properties":{"id":"user-42"}`;
  const definitions = `/flags/definitions?token=${service.token}&send_cohorts`;
  const tagged = await fetch(service.base + definitions, {
    headers: { authorization: `Bearer ${service.key}` },
  });
  const etag = tagged.headers.get("etag") ?? "";
  await tagged.arrayBuffer();
  return [
    { name: "health (no database)", path: "/healthz" },
    { name: "list, 50 of 1,000 flags", path: `${FLAGS}?limit=50` },
    { name: "list, 100 of 1,000 flags", path: `${FLAGS}?limit=100` },
    { name: "list, text search", path: `${FLAGS}?limit=50&search=bench-flag-005` },
    { name: "list, all 1,000 flags", path: `${FLAGS}?limit=1000` },
    { name: "one flag", path: `${FLAGS}${ids[500]}/` },
    { name: "definitions of 1,000 flags", path: definitions },
    { name: "definitions, unchanged (304)", path: definitions, headers: { "If-None-Match": etag } },
    {
      name: "1,000 flags for one person",
      path: "/flags/?v=2",
      script: post("application/json", `{"token":"${service.token}","distinct_id":"user-42"}`),
    },
    {
      name: "350 flags for one person",
      path: "/flags/?v=2",
      script: post("application/json", `{"token":"${smaller.api_token}",${person}}`),
    },
    {
      name: "definitions of 350 flags",
      path: `/flags/definitions?token=${smaller.api_token}&send_cohorts`,
    },
    { name: "create a flag", path: FLAGS, script: createScript },
    {
      name: "ingest, batches of 100 (gzip)",
      path: "/batch/",
      script: ingestScript(service.token),
      units: { per_request: EVENTS, of: "events/s" },
    },
  ];
}
