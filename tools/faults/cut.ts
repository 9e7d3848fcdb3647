import { existsSync, readdirSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { eventually, PERSONAL_API_KEY, PROJECT_TOKEN, type Process } from "#testing/processes.ts";
import type { Kind, Report } from "./rounds.ts";
import type { Stage } from "./stage.ts";
import { checkWrites, eventsOf, startWriting, wordsOfTrouble } from "./writes.ts";

/** How many connections are cut in a round. */
const CUTS = 25;
/** How many more files a process may have open than at first: connections of its pools, and of our own requests. */
const MORE_FILES = 60;

/** How many files a process has open, connections among them; 0 where the system does not tell. */
const openFilesOf = ({ child }: Process): number =>
  existsSync(`/proc/${child.pid}/fd`) ? readdirSync(`/proc/${child.pid}/fd`).length : 0;

/** A request as it goes over the line. */
function requestOf(method: string, path: string, body: unknown, headers: Record<string, string>): string {
  const text = body === undefined ? "" : JSON.stringify(body);
  const lines = Object.entries({
    host: "localhost",
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(text)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${text}`;
}

/** Sends so many bytes of a request, waits for so many of its answer, and resets the connection. */
function cutAfter(address: string, request: string, sent: number, received: number): Promise<void> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let seen = 0;
    const cut = () => socket.resetAndDestroy();
    socket.once("error", () => undefined);
    socket.once("close", () => resolve());
    socket.once("connect", () => socket.write(request.slice(0, sent), () => received === 0 && cut()));
    socket.on("data", (bytes) => {
      seen += bytes.length;
      if (seen >= received) cut();
    });
    // An answer may be shorter than that.
    socket.setTimeout(2_000, cut);
  });
}

async function round(stage: Stage, filesAtFirst: number, random: () => number): Promise<Report> {
  const [process] = stage.processes;
  if (!process) throw new Error("There is no process.");
  const { pool } = stage.database;
  const key = { authorization: `Bearer ${PERSONAL_API_KEY}` };
  const cutEvents = new Set<string>();
  const writing = startWriting(stage, random);
  const requests = [
    () => {
      const batch = eventsOf(stage.subjects, 1 + Math.floor(random() * 400), random);
      for (const { uuid } of batch) cutEvents.add(uuid);
      return requestOf("POST", "/batch", { api_key: PROJECT_TOKEN, batch }, {});
    },
    () => {
      const name = `Experiment cut ${random()}`;
      const parameters = {
        feature_flag_variants: [
          { key: "control", rollout_percentage: 50 },
          { key: "test", rollout_percentage: 50 },
        ],
      };
      const feature_flag_key = `experiment-cut-${Math.floor(random() * 1e12)}`;
      return requestOf("POST", "/api/projects/1/experiments/", { name, feature_flag_key, parameters }, key);
    },
    () => requestOf("POST", "/flags?v=2", { token: PROJECT_TOKEN, distinct_id: "person-1" }, {}),
    () => requestOf("GET", "/api/projects/1/events/?limit=100", undefined, key),
    () => requestOf("GET", `/api/projects/1/surveys/${stage.subjects.surveys[1]}/export/`, undefined, key),
    () => requestOf("GET", "/flags/definitions?send_cohorts", undefined, key),
  ];
  const cuts = Array.from({ length: CUTS }, async () => {
    const request = (requests[Math.floor(random() * requests.length)] as () => string)();
    const isWhole = random() < 0.5;
    const sent = isWhole ? request.length : Math.floor(random() * request.length);
    const received = isWhole ? Math.floor(random() * 5_000) : 0;
    await delay(random() * 200);
    await cutAfter(process.address, request, sent, received);
  });
  await Promise.all(cuts);
  const began = performance.now();
  await writing.more(10, "changed");
  const recovered = performance.now() - began;
  await writing.stop();
  const problems = await checkWrites(stage.database, writing.ledger, {
    encryptionKey: stage.encryptionKey,
    dataDirs: [stage.dataDir],
  });
  const { rows: twice } = await pool.query(
    "select uuid from events where project_id = 1 and uuid = any($1::uuid[]) group by uuid having count(*) > 1",
    [[...cutEvents]],
  );
  if (twice.length > 0) problems.push(`${twice.length} events of requests that were cut are stored twice`);
  // Nothing goes on for those who have gone, and no transaction is left open.
  await eventually(async () => {
    const { rows } = await pool.query(
      `select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
         and (state like 'idle in transaction%' or (state = 'active' and now() - query_start > interval '2 s'))`,
    );
    return rows.length === 0 || undefined;
  }).catch(() => problems.push("connections to the database stay busy"));
  const files = openFilesOf(process);
  if (files > filesAtFirst + MORE_FILES)
    problems.push(`the process has ${files} files open, and had ${filesAtFirst} at first`);
  problems.push(...wordsOfTrouble(process.output()));
  return { what: `connections cut, ${CUTS} of them`, recovered_after: recovered, problems };
}

export const cut: Kind = {
  name: "cut",
  async open(server) {
    const stage = await (await server()).stage(1);
    const filesAtFirst = Math.max(...stage.processes.map(openFilesOf));
    return {
      round: ({ random }) => round(stage, filesAtFirst, random),
      close: stage.close,
    };
  },
};
