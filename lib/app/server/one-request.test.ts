/** One request, whatever it is, holds up others for at most 100 ms. */
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Database } from "#lib/platform/db/connect.ts";
import { LINES } from "#lib/platform/http/progress-schema.ts";
import { createTestDatabase, urlOf } from "#testing/database.ts";
import {
  eventually,
  PERSONAL_API_KEY,
  PROJECT_TOKEN,
  type Process,
  startProcess,
} from "#testing/processes.ts";

/** A tenth of a second where machines are as fast as usual; those that tests run on may be slower by half. */
const LONGEST_TURN_MS = 150;
const FLAGS = "/api/projects/1/feature_flags/";
/** A little below the largest capture request. */
const LARGE = 19_900_000;

let database: Database;
let server: Process;

beforeAll(async () => {
  database = await createTestDatabase();
  server = await startProcess({
    DATABASE_URL: urlOf(database),
    NODE_OPTIONS: `--import=${join(import.meta.dirname, "event-loop.fixture.ts")}`,
    SDK_RATE_LIMIT_PER_MINUTE: "0",
    EVENT_RATE_LIMIT_PER_MINUTE: "0",
  });
  const properties = [{ key: "plan", type: "person", operator: "regex", value: "^(a|b)+c" }];
  const filters = { groups: [{ properties, rollout_percentage: 50 }] };
  for (let n = 0; n < 40; n += 1)
    expect((await server.call("POST", FLAGS, { key: `targeted-${n}`, filters })).status).toBe(201);
  // What is compiled and loaded on first use is no part of what is measured.
  for (const path of ["/batch/", "/e/"]) await send({ path, body: batchOf(2_000) });
  await others();
});
afterAll(async () => {
  await server.end("SIGTERM");
  await database.close();
});

type Sent = { path: string; body: Buffer; headers?: Record<string, string> };

/** Sends a request on a connection of its own. @returns the status; 0 where the connection was closed first */
function send({ path, body, headers }: Sent): Promise<number> {
  return new Promise((resolve) => {
    const request = httpRequest(server.address + path, {
      method: "POST",
      agent: false,
      headers: { "content-type": "application/json", ...headers, "content-length": body.length },
    });
    request.on("response", (response) =>
      response.resume().on("end", () => resolve(response.statusCode ?? 0)),
    );
    request.on("error", () => resolve(0));
    request.end(body);
  });
}

/** What everybody else does meanwhile. */
async function others(): Promise<number> {
  const call = { token: PROJECT_TOKEN, distinct_id: "somebody", person_properties: { plan: "abc" } };
  return (await server.call("POST", "/flags/?v=2", call, {})).status;
}

/** The longest turn of the server's event loop since this was last called. */
async function longestTurn(): Promise<number> {
  const reports = () => [...server.output().matchAll(/Longest turn: ([\d.]+) ms/g)];
  const before = reports().length;
  server.child.kill("SIGUSR2");
  const [last] = await eventually(
    () => (reports().length > before ? reports().slice(-1) : undefined),
    server.output,
  );
  return Number(last?.[1]);
}

const repeat = (text: string, bytes: number) => text.repeat(Math.floor(bytes / text.length));
const json = (text: string) => Buffer.from(text);
const captured = (events: string, beside = "") =>
  json(`{"api_key":"${PROJECT_TOKEN}",${beside}"batch":[${events}]}`);
const eventWith = (properties: string, id = "u") =>
  `{"event":"e","distinct_id":"${id}","properties":{${properties}}}`;
const names = (count: number, prefix = "") =>
  Array.from({ length: count }, (_, n) => `"${prefix}${n}":0`).join(",");
const times = (count: number, make: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => make(n)).join(",");
function batchOf(count: number): Buffer {
  return captured(times(count, (n) => eventWith(`"$set":{"n":${n}},"path":"/${n}"`, `person-${n}`)));
}

const packed = { "content-encoding": "gzip" };
const withKey = { authorization: `Bearer ${PERSONAL_API_KEY}` };
const form = { "content-type": "application/x-www-form-urlencoded" };
const asText = { "content-type": "text/plain" };
const zeros = (count: number) => `{"a":[${"0,".repeat(count)}0]}`;
const flagsCall = (rest: string) => json(`{"token":"${PROJECT_TOKEN}","distinct_id":"u",${rest}}`);

const REQUESTS: Record<string, () => Sent | Sent[]> = {
  "9 million zeros in 17.5 KB to a management path, without a key": () => ({
    path: FLAGS,
    body: gzipSync(zeros(9_000_000)),
    headers: packed,
  }),
  "the same with a key": () => ({
    path: FLAGS,
    body: gzipSync(zeros(9_000_000)),
    headers: { ...packed, ...withKey },
  }),
  "9 million zeros unpacked, without a key": () => ({ path: FLAGS, body: json(zeros(9_000_000)) }),
  "9 million zeros unpacked, with a key": () => ({
    path: FLAGS,
    body: json(zeros(9_000_000)),
    headers: withKey,
  }),
  "a management body of 1 million zeros": () => ({
    path: FLAGS,
    body: json(zeros(1_000_000)),
    headers: withKey,
  }),
  "a management body of nested lists": () => ({
    path: FLAGS,
    body: json(`{"filters":${"[".repeat(900_000)}${"]".repeat(900_000)}}`),
    headers: withKey,
  }),
  "a management body of many names": () => ({
    path: FLAGS,
    body: json(`{${names(150_000)}}`),
    headers: withKey,
  }),
  "a management body as large as it may be": () => ({
    path: FLAGS,
    body: json(`{"key":"x","filters":{${names(49_000)}}}`),
    headers: withKey,
  }),
  "a form of many fields": () => ({
    path: FLAGS,
    body: json(repeat("a=1&", 250_000)),
    headers: { ...form, ...withKey },
  }),
  "300,000 events in 23 KB, three times at once": () =>
    Array.from({ length: 3 }, () => ({
      path: "/batch/",
      body: gzipSync(captured(times(300_000, () => '{"event":"e","distinct_id":"u"}')), { level: 9 }),
      headers: packed,
    })),
  "560,000 events": () => ({
    path: "/batch/",
    body: captured(times(560_000, () => '{"event":"e","distinct_id":"u"}')),
  }),
  "9 million zeros as events": () => ({ path: "/batch/", body: captured(`${"0,".repeat(9_000_000)}0`) }),
  "9 million zeros beside events": () => ({
    path: "/batch/",
    body: captured("", `"a":[${"0,".repeat(9_000_000)}0],`),
  }),
  "an event nested 10 million deep": () => ({
    path: "/batch/",
    body: captured(eventWith(`"a":${"[".repeat(LARGE / 2 - 100)}${"]".repeat(LARGE / 2 - 100)}`)),
  }),
  "a string of 20 MB": () => ({ path: "/batch/", body: json(`"${repeat("x", LARGE)}"`) }),
  "a string of 20 MB in an event": () => ({
    path: "/batch/",
    body: captured(eventWith(`"a":"${repeat("é", LARGE)}"`)),
  }),
  "a string of 20 MB of escapes beside events": () => ({
    path: "/batch/",
    body: captured("", `"a":"${repeat("\\u0041", LARGE)}",`),
  }),
  "1.5 million names in one event": () => ({ path: "/e/", body: json(`{${names(1_500_000)}}`) }),
  "1.5 million names beside events": () => ({ path: "/e/", body: captured("", `${names(1_500_000)},`) }),
  "20 MB of forms": () => ({ path: "/e/", body: json(`data=${repeat("%41", LARGE)}`), headers: form }),
  "20 MB of base64": () => ({
    path: "/e/?compression=base64",
    body: json(Buffer.from(zeros(7_000_000)).toString("base64")),
    headers: asText,
  }),
  "as many events as are taken": () => ({ path: "/batch/", body: batchOf(10_000) }),
  "as many events as are taken, three times at once": () =>
    Array.from({ length: 3 }, () => ({ path: "/batch/", body: batchOf(10_000) })),
  "events of as many values as are taken": () => ({
    path: "/batch/",
    body: captured(times(195, (n) => eventWith(`"a":[${"[0],".repeat(4_900)}0]`, `wide-${n}`))),
  }),
  "events of as many bytes as are taken": () => ({
    path: "/batch/",
    body: captured(times(18, (n) => eventWith(`"a":"${repeat("\\n", 1_040_000)}"`, `long-${n}`))),
  }),
  "events that set 9,000 properties each": () => ({
    path: "/batch/",
    body: captured(times(5, (n) => eventWith(`"$set":{${names(9_000, `p${n}-`)}}`, `set-${n}`))),
  }),
  "events that change one person of many properties": () => ({
    path: "/batch/",
    body: captured(
      `${eventWith(`"$set":{${names(9_000, "q")}}`, "rich")},${times(3_000, (n) => eventWith(`"$set":{"q0":${n}}`, "rich"))}`,
    ),
  }),
  "events that change one group of many properties": () => ({
    path: "/batch/",
    body: captured(
      times(1_000, (n) =>
        JSON.stringify({
          event: "$groupidentify",
          distinct_id: "u",
          properties: {
            $group_type: "company",
            $group_key: "acme",
            $group_set: Object.fromEntries(
              Array.from({ length: n === 0 ? 9_000 : 1 }, (_, p) => [`g${p}`, n]),
            ),
          },
        }),
      ),
    ),
  }),
  "a call for flags of 1 million zeros": () => ({
    path: "/flags/?v=2",
    body: flagsCall(`"a":[${repeat("0,", 2_000_000)}0]`),
  }),
  "a call for flags of 680,000 objects": () => ({
    path: "/flags/?v=2",
    body: flagsCall(`"person_properties":{"a":[${repeat("{},", 2_050_000)}0]}`),
  }),
  "a call for flags of many names": () => ({
    path: "/decide/?v=3",
    body: flagsCall(`"person_properties":{${names(19_000)}}`),
  }),
  "a call for flags of a person with 2 MB of text": () => ({
    path: "/flags/?v=2",
    body: flagsCall(`"person_properties":{"plan":"${repeat("a", 2_090_000)}"}`),
  }),
  "a call for flags of a person with as much text as is read": () => ({
    path: "/flags/?v=2",
    body: flagsCall(`"person_properties":{"plan":"${repeat("a", 131_000)}"}`),
  }),
  "a call for flags with an id as long as is read": () => ({
    path: "/flags/?v=2",
    body: json(
      `{"token":"${PROJECT_TOKEN}","distinct_id":"${repeat("x", 131_000)}","person_properties":{"plan":"ac"}}`,
    ),
  }),
  "an evaluation context of 340,000 objects": () => ({
    path: "/ofrep/v1/evaluate/flags",
    body: json(`{"context":{"targetingKey":"u","a":[${repeat("{},", 1_040_000)}0]}}`),
    headers: { authorization: `Bearer ${PROJECT_TOKEN}` },
  }),
};

/** Sends requests while others are served. @returns the longest turn of the event loop meanwhile */
async function sendAll(sent: Sent[]): Promise<number> {
  await longestTurn();
  let isRunning = true;
  const answers = Promise.all(sent.map(send)).finally(() => {
    isRunning = false;
  });
  const served: number[] = [];
  while (isRunning) {
    served.push(await others());
    await delay(10);
  }
  for (const status of await answers) expect([0, 200, 400, 401, 413, 503]).toContain(status);
  expect(new Set(served)).toEqual(new Set([200]));
  return longestTurn();
}

it.each(Object.entries(REQUESTS))("%s", async (_, make) => {
  const sent = [make()].flat();
  // A collection of garbage, or a neighbour who fills the processor's caches, may spoil an attempt.
  let shortest = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 6 && shortest >= LONGEST_TURN_MS; attempt += 1)
    shortest = Math.min(shortest, await sendAll(sent));
  expect(shortest).toBeLessThan(LONGEST_TURN_MS);
});

/** Counts of everybody yield after 8 ms; this leaves room for reading what comes next from the database. */
const LONGEST_COUNTING_MS = 20;

it.each([
  ["who matches", "user_blast_radius/", (properties: object[]) => ({ condition: { properties } })],
  ["who changes", "who_changes/", (properties: object[]) => ({ filters: { groups: [{ properties }] } })],
])("%s among 60,000 people with as many values, in slices", async (_, path, bodyOf) => {
  await database.db.execute(sql`
    insert into persons (project_id, properties)
    select 1, jsonb_build_object('email', 'person-' || n || '@example.com') from generate_series(1, 60000) n
    where not exists (select from persons where properties ? 'email')`);
  const row = { key: "email", type: "person", operator: "icontains", value: "7@" };
  const sent = {
    path: FLAGS + path,
    body: json(JSON.stringify(bodyOf([row]))),
    headers: { ...withKey, accept: LINES },
  };
  let shortest = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 6 && shortest >= LONGEST_COUNTING_MS; attempt += 1) {
    await longestTurn();
    expect(await send(sent)).toBe(200);
    shortest = Math.min(shortest, await longestTurn());
  }
  expect(shortest).toBeLessThan(LONGEST_COUNTING_MS);
});
