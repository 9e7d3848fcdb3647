import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { afterAll, expect, it } from "vitest";
import type { Read } from "./answers.ts";
import { replay } from "./replay.ts";

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

/** A version that gives these answers, and the last of them again and again. */
async function version(...answers: readonly [status: number, body: unknown][]): Promise<string> {
  let asked = 0;
  const server = createServer((_, response) => {
    const [status, body] = answers[Math.min(asked, answers.length - 1)] ?? [500, null];
    asked += 1;
    if (status === 0) return response.destroy();
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
}

const LIST: Read = { operation: "/list/", path: "/list/" };
const FLAGS: Read = { operation: "POST /flags/", path: "/flags/?v=2", body: "{}" };
type Answers = readonly [status: number, body: unknown][];

it.concurrent.each<[string, Read, Answers, Answers, string[]]>([
  ["nothing where both answer the same", LIST, [[200, { a: 1 }]], [[200, { a: 1 }]], []],
  ["another status", LIST, [[200, {}]], [[404, {}]], ["DIFFERENT  GET /list/", "status: 200 → 404"]],
  [
    "a version that does not answer",
    LIST,
    [[200, {}]],
    [[0, null]],
    ["DIFFERENT  GET /list/", 'status: 200 → "no answer (TypeError)"'],
  ],
  [
    "two versions that do not answer",
    LIST,
    [[0, null]],
    [[0, null]],
    ["DIFFERENT  GET /list/", 'status: "no answer (TypeError)" → "no answer (TypeError)"'],
  ],
  ["nothing about a new field", LIST, [[200, [{}]]], [[200, [{ more: 1 }]]], []],
  [
    "another flag",
    FLAGS,
    [[200, { flags: {} }]],
    [[200, { flags: { more: 1 } }]],
    ["DIFFERENT  POST /flags/?v=2 {}", ".flags.more: nothing → 1"],
  ],
  [
    "nothing where a job had to finish first",
    LIST,
    [
      [200, 1],
      [200, 2],
    ],
    [[200, 2]],
    [],
  ],
  [
    "where long texts differ",
    LIST,
    [[200, { text: `${"a".repeat(500)}1` }]],
    [[200, { text: `${"a".repeat(500)}2${"b".repeat(500)}` }]],
    ["DIFFERENT  GET /list/", `.text: …${"a".repeat(20)}1" → …${"a".repeat(20)}2${"b".repeat(59)}…`],
  ],
])("reports %s", async (_, read, before, after, lines) => {
  const said: string[] = [];
  const versions = { earlier: await version(...before), later: await version(...after) };
  const outcome = await replay([read], versions, Date.now(), (line) => said.push(line.trim()));
  expect(said).toEqual(lines);
  expect(outcome).toMatchObject({ different: lines.length > 0 ? 1 : 0, equal: lines.length > 0 ? 0 : 1 });
});

it("counts refusals and new fields by operation", async () => {
  const refusing = { earlier: await version([404, {}]), later: await version([404, {}]) };
  const { refused } = await replay([LIST, LIST], refusing, Date.now(), () => undefined);
  expect([...refused]).toEqual([["/list/ (404)", 2]]);
  const adding = {
    earlier: await version([200, { results: [{}, {}] }]),
    later: await version([200, { results: [{ more: 1 }, { more: 2 }] }]),
  };
  const { new_fields: newFields } = await replay([LIST], adding, Date.now(), () => undefined);
  expect([...newFields]).toEqual([["/list/ .results[].more", 1]]);
});
