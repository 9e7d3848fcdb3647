import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { eventually, type Process, startProcess } from "#testing/processes.ts";
import { ROOT } from "#testing/surveys.ts";

const folder = mkdtempSync(join(tmpdir(), "survey-processes-"));
const running: Process[] = [];
afterAll(async () => {
  await Promise.all(running.map((process) => process.end("SIGTERM")));
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<Process> {
  const process = await startProcess({ DATA_DIR: folder });
  running.push(process);
  return process;
}

async function stop(...processes: Process[]): Promise<void> {
  for (const process of processes) running.splice(running.indexOf(process), 1);
  expect(await Promise.all(processes.map((process) => process.end("SIGTERM")))).toEqual(
    processes.map(() => 0),
  );
}

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();

async function create(on: Process, fields: Record<string, unknown>) {
  const { status, json, text } = await on.call("POST", ROOT, { type: "popover", ...fields });
  expect(status, text).toBe(201);
  return json;
}

/** What happened to the survey's own flag, oldest first. */
async function turns(on: Process, flagId: number): Promise<unknown[]> {
  const { json } = await on.call("GET", `/api/projects/1/feature_flags/${flagId}/activity/`);
  const changes = json.results.flatMap(
    (entry: { detail: { changes: { field: string; after: unknown }[] } }) =>
      entry.detail.changes.filter(({ field }) => field === "active").map(({ after }) => after),
  );
  return changes.reverse();
}

const turned = (on: Process, flagId: number, times: number) =>
  eventually(async () => {
    const found = await turns(on, flagId);
    return found.length >= times ? found : undefined;
  }, on.output);

it("a survey starts and stops at its time, once over two processes, and after a restart too", async () => {
  const [one, other] = await Promise.all([start(), start()]);
  const made = await create(one, { name: "Soon", start_date: inSeconds(2), end_date: inSeconds(4) });
  const flag = made.internal_targeting_flag.id;
  expect(await turned(other, flag, 2)).toEqual([true, false]);

  const later = await create(one, { name: "Meanwhile", start_date: inSeconds(3) });
  await stop(one, other);
  await eventually(() => Date.now() > Date.parse(later.start_date) || undefined);
  const again = await start();
  expect(await turned(again, later.internal_targeting_flag.id, 1)).toEqual([true]);
  expect(await turns(again, flag)).toEqual([true, false]);
});
