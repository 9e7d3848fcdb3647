import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { createClient, loadSteadily, print } from "./client.ts";
import type { Flood, Flooded } from "./flood.fixture.ts";
import { createProject, everything, type Project, startServer } from "./service.ts";

/** What a project is flooded with; each alone, then all of it. */
const FLOODS: Record<string, string[]> = {
  flags: ["flags"],
  definitions: ["definitions"],
  events: ["events"],
  "lists of flags": ["list of flags"],
  "changes of flags": ["change of a flag"],
  everything: ["flags", "events", "list of flags", "change of a flag", "people"],
};

/** What somebody else does meanwhile, and so many times a second. */
const BYSTANDER = ["flags", "list of flags", "one flag", "change of a flag"];
const BYSTANDER_RATE = 60;
const WARM_SECONDS = 3;
const AT_ONCE = 300;
const FLAGS = 200;

/** Gets a flood ready; it begins when it is let go. */
async function prepareFlood(options: Flood): Promise<() => Promise<Flooded[]>> {
  const worker = new Worker(new URL("./flood.fixture.ts", import.meta.url), { workerData: options });
  await once(worker, "message");
  return async () => {
    worker.postMessage("begin");
    const [flooded] = await once(worker, "message");
    return flooded;
  };
}

export type Overload = {
  flood: string;
  /** How long somebody else waited, in ms: half of the requests, and all but the slowest per cent. */
  p50: number;
  p99: number;
  /** Which part of somebody else's requests was refused. */
  turned_away: number;
  /** Of the flood: which part of each kind was refused. */
  refused: Record<string, number>;
  problems: string[];
};

/** Floods a server with requests of one project, and measures what another one gets. */
async function overload(address: string, name: string, [loud, quiet]: [Project, Project], seconds: number) {
  const client = createClient(address, BYSTANDER_RATE);
  const kinds = everything(quiet).filter((kind) => BYSTANDER.includes(kind.name));
  const flood = { address, project: loud, kinds: FLOODS[name] ?? [], at_once: AT_ONCE, seconds };
  const begin = await prepareFlood(flood);
  // Connections are made, what is asked for is in memory, and the code has run before.
  await loadSteadily(client, [...kinds, ...everything(loud)], BYSTANDER_RATE, WARM_SECONDS);
  const flooding = begin();
  const answers = await loadSteadily(client, kinds, BYSTANDER_RATE, seconds);
  const flooded = await flooding;
  const after = await loadSteadily(client, kinds, BYSTANDER_RATE, 1);
  client.close();
  print(answers);

  const problems: string[] = [];
  for (const { name: kind, failed, without_retry_after } of flooded) {
    if (failed > 0) problems.push(`${kind} of the flood: ${failed} were neither answered nor refused`);
    if (without_retry_after > 0)
      problems.push(`${kind}: ${without_retry_after} refusals without Retry-After`);
  }
  for (const [kind, each] of answers)
    if (each.failed > 0) problems.push(`${kind} of the other project, meanwhile: failed`);
  for (const [kind, each] of after)
    if (each.failed + each.refused > 0)
      problems.push(`${kind} of the other project, afterwards: refused or failed`);
  const times = [...answers.values()].flatMap((each) => each.times).toSorted((a, b) => a - b);
  const within = (part: number) => times[Math.floor(times.length * part)] ?? Number.NaN;
  const share = ({ served, refused }: Flooded) => refused / Math.max(1, served + refused);
  const refused = Object.fromEntries(flooded.map((each) => [each.name, share(each)]));
  const away = [...answers.values()].reduce((sum, each) => sum + each.refused, 0);
  const turned_away = away / Math.max(1, away + times.length);
  return { flood: name, p50: within(0.5), p99: within(0.99), turned_away, refused, problems };
}

/**
 * Floods a server of its own in each of the named ways.
 *
 * @param floods names of FLOODS; all of them unless given
 * @param seconds how long each flood lasts
 */
export async function overloadServer(seconds: number, floods = Object.keys(FLOODS)): Promise<Overload[]> {
  const folder = mkdtempSync(join(tmpdir(), "switchyard-overload-"));
  const server = await startServer(folder);
  try {
    const projects: [Project, Project] = [
      await createProject(server, "Loud", FLAGS),
      await createProject(server, "Quiet", FLAGS),
    ];
    const outcomes: Overload[] = [];
    for (const name of floods) outcomes.push(await overload(server.address, name, projects, seconds));
    return outcomes;
  } finally {
    await server.end("SIGTERM");
    rmSync(folder, { recursive: true, force: true });
  }
}
