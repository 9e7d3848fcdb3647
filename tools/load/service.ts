import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { v7 as uuidv7 } from "uuid";
import { eventually, type Process, startProcess } from "#testing/processes.ts";
import type { Kind } from "./client.ts";

/** A project with flags, and the credentials of those who use it. */
export type Project = { id: number; token: string; key: string; flag_ids: number[] };

/** Starts a server as it is started by default, with a measure of its event loops. */
export async function startServer(folder: string, env: Record<string, string> = {}) {
  const fixture = join(import.meta.dirname, "loop-delay.fixture.ts");
  const server = await startProcess({
    DATA_DIR: folder,
    PROCESSES: "auto",
    NODE_OPTIONS: `--import ${fixture}`,
    SDK_RATE_LIMIT_PER_MINUTE: "0",
    EVENT_RATE_LIMIT_PER_MINUTE: "0",
    ...env,
  });
  return server;
}

/** The processes that answer, those that only start others and the database's left out. */
export function servingProcesses({ child }: Process): number[] {
  const list = execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" });
  const children = list.split("\n").flatMap((line) => {
    const [pid, parent, program] = line.trim().split(/\s+/);
    return Number(parent) === child.pid && program?.endsWith("node") ? Number(pid) : [];
  });
  return children.length > 0 ? children : [child.pid ?? 0];
}

/** Memory that processes hold, in MB. */
export const memoryOf = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => {
    const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return sum + Number(kilobytes) / 1024;
  }, 0);

/** How late each process's event loop was since it was last asked, in ms: all but the worst per cent of cases. */
export async function loopDelays(server: Process, pids: readonly number[]): Promise<number[]> {
  const before = server.output().length;
  for (const pid of pids) process.kill(pid, "SIGUSR2");
  return eventually(() => {
    const said = server.output().slice(before);
    const delays = pids.map((pid) => new RegExp(`Loop delay of ${pid}: ([\\d.]+) ms`).exec(said)?.[1]);
    return delays.every((text) => text !== undefined) ? delays.map(Number) : undefined;
  }, server.output);
}

async function create(server: Process, path: string, body: unknown) {
  const answer = await server.call("POST", path, body);
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer.json;
}

/** A project with flags, each a rollout to half of the people of a plan, a survey and people. */
export async function createProject(server: Process, name: string, flags: number): Promise<Project> {
  const { id, api_token: token } = await create(server, "/api/projects/", { name });
  const key = { label: name, scopes: ["*"], scoped_teams: [id] };
  const { value } = await create(server, "/api/personal_api_keys/", key);
  const flag_ids: number[] = [];
  for (let n = 0; n < flags; n++) {
    const properties = [{ key: "plan", type: "person", operator: "is_not", value: [`plan-${n}`] }];
    const flag = {
      key: `flag-${n}`,
      active: true,
      filters: { groups: [{ properties, rollout_percentage: 50 }] },
    };
    flag_ids.push((await create(server, `/api/projects/${id}/feature_flags/`, flag)).id);
  }
  await create(server, `/api/projects/${id}/surveys/`, {
    name: "Satisfaction",
    type: "popover",
    questions: [{ type: "rating", scale: 10, question: "How likely are you to recommend us?" }],
    start_date: new Date().toISOString(),
  });
  return { id, token, key: value, flag_ids };
}

const PEOPLE = 5_000;
const EVENTS_OF_BATCH = 20;
const anyPerson = () => `person-${Math.floor(Math.random() * PEOPLE)}`;

/** A batch of events, the calls of a flag and answers to a survey among them. */
function batchOf(token: string): string {
  const batch = Array.from({ length: EVENTS_OF_BATCH }, (_, i) => {
    const distinct_id = anyPerson();
    const timestamp = new Date().toISOString();
    const uuid = uuidv7();
    if (i === 0)
      return { uuid, event: "$identify", distinct_id, timestamp, properties: { $set: { plan: "pro" } } };
    if (i % 3 > 0)
      return { uuid, event: "page viewed", distinct_id, timestamp, properties: { path: `/${i}` } };
    const called = { $feature_flag: `flag-${i}`, $feature_flag_response: i % 2 === 0 };
    return { uuid, event: "$feature_flag_called", distinct_id, timestamp, properties: called };
  });
  return JSON.stringify({ api_key: token, batch });
}

/** Requests of every kind that a project gets on a working day. */
export function everything({ id, token, key, flag_ids }: Project): Kind[] {
  const bearer = { authorization: `Bearer ${key}` };
  const base = `/api/projects/${id}`;
  const anyFlag = () => `${base}/feature_flags/${flag_ids[Math.floor(Math.random() * flag_ids.length)]}/`;
  const read = (name: string, weight: number, path: () => string, headers: Kind["headers"] = bearer) => ({
    name,
    weight,
    method: "GET",
    path,
    headers,
  });
  return [
    {
      name: "flags",
      weight: 50,
      method: "POST",
      path: () => "/flags/?v=2",
      body: () => JSON.stringify({ token, distinct_id: anyPerson(), person_properties: { plan: "pro" } }),
      headers: {},
    },
    {
      name: "flags of a stored person",
      weight: 10,
      method: "POST",
      path: () => "/flags/?v=2",
      body: () => JSON.stringify({ token, distinct_id: anyPerson() }),
      headers: {},
    },
    read("definitions", 8, () => `/flags/definitions?token=${token}&send_cohorts`),
    read("surveys of a project", 5, () => `/api/surveys?token=${token}`, {}),
    {
      name: "events",
      weight: 12,
      method: "POST",
      path: () => "/batch/",
      body: () => batchOf(token),
      headers: {},
    },
    read("list of flags", 5, () => `${base}/feature_flags/?limit=50`),
    read("one flag", 5, anyFlag),
    {
      name: "change of a flag",
      weight: 1,
      method: "PATCH",
      path: anyFlag,
      body: () => JSON.stringify({ name: `Changed ${Math.random()}` }),
      headers: bearer,
    },
    read("people", 2, () => `${base}/persons/?limit=50`),
    read("activity", 1, () => `${base}/activity_log/?limit=20`),
    read("surveys", 1, () => `${base}/surveys/`),
  ];
}
