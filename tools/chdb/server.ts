/**
 * `node tools/chdb/server.ts FOLDER`: the engine of ClickHouse behind the part of its HTTP interface that clients use,
 * with its data in a folder. Tests start it; it prints its port.
 */
import { createServer, type IncomingMessage } from "node:http";
import { createRequire } from "node:module";
import { text } from "node:stream/consumers";
import { installChdb } from "./install.ts";

type Session = { query(query: string, format: string): string };
const { Session }: { Session: new (folder: string) => Session } = createRequire(import.meta.url)(
  installChdb(),
);

const [folder] = process.argv.slice(2);
if (!folder) throw new Error("Usage: node tools/chdb/server.ts FOLDER");
const session = new Session(folder);
const run = (query: string) => session.query(query, "TabSeparated");

const literal = (value: string) => `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

/** Parameters of a request that are neither settings nor values in the query. */
const OF_HTTP = [
  "query",
  "database",
  "query_id",
  "session_id",
  "wait_end_of_query",
  "enable_http_compression",
];

async function answer(request: IncomingMessage): Promise<string> {
  const { searchParams } = new URL(request.url ?? "/", "http://localhost");
  const body = await text(request);
  const given = searchParams.get("query");
  const settings = [...searchParams].filter(([name]) => !OF_HTTP.includes(name));
  // From here on nothing waits: requests do not see each other's settings.
  run(`USE ${searchParams.get("database") ?? "default"}`);
  try {
    for (const [name, value] of settings) run(`SET ${name} = ${literal(value)}`);
    return run(given === null ? body : `${given}\n${body}`);
  } finally {
    for (const [name] of settings) if (!name.startsWith("param_")) run(`SET ${name} = DEFAULT`);
  }
}

const server = createServer((request, response) => {
  answer(request).then(
    (result) => response.end(result),
    (error: Error) => response.writeHead(500).end(error.message.replace(/^Query failed: /, "")),
  );
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address && typeof address === "object") console.info(address.port);
});
