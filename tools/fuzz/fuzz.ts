import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { isObject } from "#lib/engines/json.ts";
import { ACCOUNTS_TOPIC } from "#lib/identity/accounts/directory.ts";
import { childEnvironment } from "#lib/platform/config.ts";
import { type Database, inTransaction } from "#lib/platform/db/connect.ts";
import { publish } from "#lib/platform/db/notify.ts";
import { addKey, addOrganization, addPerson } from "#testing/accounts.ts";
import { fillProject, pathWith } from "#testing/every-resource.ts";
import { PERSONAL_API_KEY, PROJECT_TOKEN, type Process, startProcess } from "#testing/processes.ts";
import {
  type Answer,
  checkRefusal,
  createFollower,
  createJudge,
  createNotes,
  createSender,
  idsIn,
  type Problem,
  shortened,
} from "./checks.ts";
import { contents, differing, findStrayRows } from "./database.ts";
import { createMemory, type Foreign } from "./memory.ts";
import {
  asCurl,
  createRequests,
  type Document,
  type Operation,
  operationsOf,
  type Sent,
} from "./requests.ts";
import { chance } from "./values.ts";

/** How many different problems end a run: what comes after the first ones is mostly the same. */
const ENOUGH = 25;
/** How much the process may grow from its first thousand requests to the last, in MB. */
const GROWTH_MB = 600;
/** Refused requests after which the whole database is compared, and the fewest between two of them. */
const COMPARED = 100;
const COMPARED_EVERY = 20;
/** How many requests are sent at once, where they are: half of them the same. */
const AT_ONCE = 8;
/** Every text of the other project contains it. */
const MARK = "theirmark";

const root = join(import.meta.dirname, "..", "..");
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

export type Outcome = {
  requests: number;
  seconds: number;
  seed: number;
  /** How many answers of each status. */
  statuses: Record<string, number>;
  /** How many operations the document has. */
  operations: number;
  /** Operations that never succeeded: what the fuzzer does not reach. */
  unreached: string[];
  memory_mb: { at_first: number; at_last: number };
  problems: Problem[];
};

type Options = {
  database: Database;
  env: Record<string, string>;
  requests: number;
  seed: number;
  onProgress?: (done: number, problems: number) => void;
};

const residentMb = (pid = 0): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024);

/** A whole other organization with a project, which the key does not open. */
async function addForeignProject(process: Process, { db }: Database): Promise<Foreign> {
  const { organization, project } = await addOrganization(db, "elsewhere");
  const person = await addPerson(db, "somebody@elsewhere.test", { [organization.id]: 15 });
  const { value } = await addKey(db, person.id);
  await inTransaction(db, (tx) => publish(tx, ACCOUNTS_TOPIC, null));
  const { ids } = await fillProject(
    (method, path, body) => process.call(method, path, body, bearer(value)),
    project.id,
    MARK,
  );
  return { project: project.id, ids };
}

/** Fills the key's own project, and remembers how that was done. */
async function fillOwnProject(
  process: Process,
  operations: readonly Operation[],
  memory: ReturnType<typeof createMemory>,
): Promise<Set<string>> {
  const routes = operations.map((operation) => ({
    operation,
    pattern: new RegExp(`^${operation.path.replace(/\{\w+\}/g, "[^/]+")}$`),
  }));
  const remembering = async (method: string, path: string, body?: unknown) => {
    const reply = await process.call(method, path, body);
    const [pathname = ""] = path.split("?");
    const route = routes.find(
      ({ operation, pattern }) => operation.method === method && pattern.test(pathname),
    );
    if (route) {
      memory.accept(route.operation.id, { path, body: body === undefined ? null : JSON.stringify(body) });
      memory.learn(route.operation.folder, reply.json);
    }
    return reply;
  };
  const { ids, bodies, queries } = await fillProject(remembering, 1, "ours");
  const survey = { name: "ours, hosted", type: "external_survey", start_date: "2026-01-01T00:00:00Z" };
  const questions = [{ type: "open", question: "Why?" }];
  const hosted = await process.call("POST", "/api/projects/1/surveys/", { ...survey, questions });
  memory.learn("external_surveys", hosted.json);
  for (const operation of operations) {
    const name = Object.keys({ ...bodies, ...queries }).find(
      (each) => each.replace(".", "_") === operation.id,
    );
    if (name === undefined) continue;
    const query = new URLSearchParams(
      Object.entries(queries[name] ?? {}).map(([part, value]) => [part, String(value)]),
    );
    const path = pathWith(operation, 1, (part) => ids[part]);
    const body = name in bodies ? JSON.stringify(bodies[name]) : null;
    memory.accept(operation.id, { path: query.size > 0 ? `${path}?${query}` : path, body });
  }
  return new Set(Object.values(ids).map(String));
}

/** Recounts what the process has stored, as operators do. */
async function verifyAll(env: Record<string, string>): Promise<string | null> {
  try {
    const script = join(root, "lib/app/server/verify.ts");
    await promisify(execFile)(process.execPath, [script], { cwd: root, env: childEnvironment(env) });
    return null;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    return `npm run verify: ${stdout}${stderr}`;
  }
}

async function drive(
  target: Process,
  { database, env, requests, seed, onProgress }: Options,
): Promise<Outcome> {
  const { address, child } = target;
  const document = (await (await fetch(`${address}/api/schema/`)).json()) as Document;
  const operations = operationsOf(document);
  const foreign = await addForeignProject(target, database);
  const own: string = (await target.call("GET", "/api/personal_api_keys/@current/")).json.id;
  const memory = createMemory(foreign, own);
  const seeded = await fillOwnProject(target, operations, memory);
  const credentials = { key: PERSONAL_API_KEY, tokens: [PROJECT_TOKEN] };
  const generated = createRequests(document, seed, { credentials, foreign, memory });
  const { random } = generated;
  const theirs = await contents(database.db, foreign.project);

  const send = createSender(address);
  const judge = createJudge(document, MARK);
  const notes = createNotes();
  const follow = createFollower({ operations, headers: bearer(PERSONAL_API_KEY), send, notes });
  const statuses: Record<string, number> = {};
  const succeeded = new Set<string>();
  let [count, refusals, atFirst] = [0, 0, 0];
  const began = Date.now();

  /** What the run itself needs: its key and, for the most part, the records that it began with. */
  const isNeeded = ({ method, path }: Sent) =>
    (method !== "GET" && path.includes(own)) ||
    (method === "DELETE" && idsIn(path).some((id) => seeded.has(id)) && chance(random, 0.95));

  const learn = (sent: Sent, { status, text, json }: Answer) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status < 200 || status >= 300) return;
    succeeded.add(sent.operation.id);
    memory.accept(sent.operation.id, sent);
    if (sent.method === "DELETE") memory.forget(sent.operation.folder, idsIn(sent.path).at(-1) ?? "");
    memory.learn(sent.operation.folder, json);
    if (json === undefined) memory.learnForm(text);
    if (sent.operation.id === "projects_reset_token" && isObject(json) && json.id === 1)
      credentials.tokens.push(String(json.api_token));
  };

  const checkOne = async (sent: Sent) => {
    const answer = await send(sent);
    count += 1;
    learn(sent, answer);
    const fault = judge(sent, answer);
    if (fault && !notes.has(sent, fault)) {
      const fails = async (candidate: Sent) => judge(candidate, await send(candidate))?.about === fault.about;
      notes.add(await shortened(sent, fails), fault);
    }
    if (answer.status >= 200 && answer.status < 300 && sent.method !== "GET") {
      notes.step(sent, answer);
      await follow(sent, answer, chance(random, 0.25));
    }
    if (answer.status < 400 || answer.status >= 500) return;
    refusals += 1;
    if (refusals % Math.max(COMPARED_EVERY, Math.ceil(requests / COMPARED)) === 0)
      await checkRefusal(database.db, send, notes, sent);
  };

  /** Several clients that do the same, or something else, at the same moment. */
  const checkAtOnce = async (sent: Sent) => {
    const others = Array.from({ length: AT_ONCE / 2 }, () => generated.next(operations));
    const same = Array.from({ length: AT_ONCE / 2 }, () => sent);
    const all = [...same, ...others.filter((one) => !isNeeded(one))];
    const answers = await Promise.all(all.map(async (one) => [one, await send(one)] as const));
    count += all.length;
    for (const [one, answer] of answers) {
      learn(one, answer);
      const fault = judge(one, answer);
      if (fault) notes.add(one, { ...fault, about: `at once: ${fault.about}` });
    }
  };

  for (let turn = 0; count < requests && notes.problems.size < ENOUGH; turn += 1) {
    // Every operation has its turn before chance decides.
    const first = operations[Math.floor(turn / 2)];
    const sent = generated.next(first ? [first] : operations);
    if (isNeeded(sent)) continue;
    if (sent.method !== "GET" && chance(random, 0.03)) await checkAtOnce(sent);
    else await checkOne(sent);
    if (atFirst === 0 && count >= Math.min(1_000, requests)) atFirst = residentMb(child.pid);
    if (turn % 500 === 499) onProgress?.(count, notes.problems.size);
    if (child.exitCode !== null)
      throw new Error(`The process ended after ${asCurl(sent)}: ${target.output()}`);
  }

  const atLast = residentMb(child.pid);
  if (atLast - atFirst > GROWTH_MB) notes.general(`the process grew from ${atFirst} to ${atLast} MB`);
  const ready = await fetch(`${address}/readyz`);
  if (ready.status !== 200) notes.general(`/readyz answers ${ready.status}: ${await ready.text()}`);
  for (const stray of await findStrayRows(database.db)) notes.general(stray);
  const touched = differing(theirs, await contents(database.db, foreign.project));
  if (touched.length > 0) notes.general(`rows of another project have changed: ${touched.join(", ")}`);
  const wrong = await verifyAll(env);
  if (wrong) notes.general(wrong);
  return {
    requests: count,
    seconds: Math.round((Date.now() - began) / 1000),
    seed,
    statuses,
    operations: operations.length,
    unreached: operations.flatMap(({ id, can_succeed }) => (can_succeed && !succeeded.has(id) ? [id] : [])),
    memory_mb: { at_first: atFirst, at_last: atLast },
    problems: [...notes.problems.values()],
  };
}

/**
 * Starts a Switchyard on a migrated database, drives it through all of its OpenAPI document, and checks each answer and
 * what is stored in the end.
 *
 * @param options where the process finds that database and DATA_DIR (`env`), and what is sent
 */
export async function fuzz(options: Options): Promise<Outcome> {
  const target = await startProcess(options.env);
  try {
    return await drive(target, options);
  } finally {
    await target.end("SIGTERM");
  }
}
