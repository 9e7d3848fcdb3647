import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually, PROJECT_TOKEN, type Process, startProcess } from "#testing/processes.ts";

const FLAGS = "/api/projects/1/feature_flags/";
const LIMIT = 40;
const METRICS_TOKEN = "the-token-of-whoever-monitors";
const dataDir = mkdtempSync(join(tmpdir(), "listener-"));
let server: Process;

beforeAll(async () => {
  server = await startProcess({
    DATA_DIR: dataDir,
    PROCESSES: "2",
    SDK_RATE_LIMIT_PER_MINUTE: String(LIMIT),
    METRICS_TOKEN,
  });
  await eventually(() => serving().length === 2 || undefined, server.output);
});
afterAll(async () => {
  await server.end("SIGKILL");
  rmSync(dataDir, { recursive: true, force: true });
});

/** The processes that answer: children of the one that was started, without the database. */
function serving(): number[] {
  const list = execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" });
  return list.split("\n").flatMap((line) => {
    const [pid, parent, program] = line.trim().split(/\s+/);
    return Number(parent) === server.child.pid && program?.endsWith("node") ? Number(pid) : [];
  });
}

it("gives each process as many helpers as it has a share of the cores", () => {
  const helpers = Math.min(4, Math.max(1, Math.floor(availableParallelism() / 2)));
  const pids = serving().map(String);
  const options = execFileSync("ps", ["-o", "args=", "-p", pids.join()], { encoding: "utf8" });
  expect(options.match(/--v8-pool-size=\d+/g)).toEqual(pids.map(() => `--v8-pool-size=${helpers}`));
});

/** On a connection of its own each time, so that any of the processes may get it. */
const call = (method: string, path: string, body?: unknown) =>
  server.call(method, path, body, {
    authorization: "Bearer phx_the-key-of-several-processes",
    connection: "close",
  });

const DEFINITIONS = "/flags/definitions/";

/** Streams on connections of their own, so that both processes have some. */
const openStreams = (count: number) =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const stop = new AbortController();
      const response = await fetch(`${server.address}/flags/definitions/stream/`, {
        headers: { authorization: "Bearer phx_the-key-of-several-processes", connection: "close" },
        signal: stop.signal,
      });
      expect(response.status).toBe(200);
      let text = "";
      const over = (async () => {
        for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += chunk;
      })().catch(() => undefined);
      return {
        text: () => text,
        events: () => text.split("data: ").length - 1,
        close: () => stop.abort(),
        over,
      };
    }),
  );

describe("two processes behind one listener", () => {
  it("know of a change as soon as it is answered, whichever made it", async () => {
    for (let i = 0; i < 30; i++) {
      const made = await call("POST", FLAGS, { key: `flag-${i}`, active: true, filters: { groups: [{}] } });
      expect(made.status).toBe(201);
      const { json } = await call("GET", `${FLAGS}?limit=1`);
      expect([json.count, json.results[0].key]).toEqual([i + 1, `flag-${i}`]);
      expect((await call("PATCH", `${FLAGS}${made.json.id}/`, { name: "changed" })).status).toBe(200);
      expect((await call("GET", `${FLAGS}${made.json.id}/`)).json.name).toBe("changed");
    }
  });

  it("count calls together", async () => {
    const body = { token: PROJECT_TOKEN, distinct_id: "ann" };
    const answers = [];
    // One after the other, so that what one process lets through is known to the other in time.
    for (let i = 0; i < 2 * LIMIT; i++) answers.push((await call("POST", "/flags/?v=2", body)).status);
    const admitted = answers.filter((status) => status === 200).length;
    expect(admitted).toBeGreaterThanOrEqual(LIMIT);
    expect(admitted).toBeLessThan(2 * LIMIT);
  });

  it("report the figures of both, whichever is asked", async () => {
    const LISTS =
      /^switchyard_http_requests_total\{method="GET",route="[^"]*\/feature_flags",status="200"\} (\d+)$/m;
    const scrape = async () => {
      const answer = await fetch(`${server.address}/metrics`, {
        headers: { authorization: `Bearer ${METRICS_TOKEN}`, connection: "close" },
      });
      expect(answer.status).toBe(200);
      return answer.text();
    };
    const lists = (text: string) => Number(LISTS.exec(text)?.[1]);
    let expected = lists(await scrape());
    for (let i = 0; i < 10; i++) {
      expect((await call("GET", FLAGS)).status).toBe(200);
      expected += 1;
      const text = await scrape();
      expect(lists(text)).toBe(expected);
      expect(text).toMatch(/^switchyard_processes 2$/m);
    }
  });

  it("announce a change to streams once all of them serve it, and know together who has it", async () => {
    const { json: list } = await call("GET", `${FLAGS}?limit=1`);
    const { id, version } = list.results[0];
    const streams = await openStreams(8);
    await eventually(() => streams.every(({ text }) => text().includes("id: ")) || undefined);
    const before = streams.map(({ events }) => events());
    const changed = await call("PATCH", `${FLAGS}${id}/`, { name: "For streams" });
    expect(changed.json.version).toBe(version + 1);
    await Promise.all(
      streams.map(async ({ events }, i) => {
        await eventually(() => events() > (before[i] ?? 0) || undefined);
        const { json } = await call("GET", DEFINITIONS);
        expect(json.flags.find((flag: { id: number }) => flag.id === id).version).toBe(version + 1);
      }),
    );
    const receipt = await call("GET", `${FLAGS}${id}/receipt/`);
    expect(receipt.json).toMatchObject({ version: version + 1, served: streams.length, behind: 0 });
    const figures = await fetch(`${server.address}/metrics`, {
      headers: { authorization: `Bearer ${METRICS_TOKEN}` },
    });
    expect(await figures.text()).toMatch(/^switchyard_streams_open\{audience="definitions"\} 8$/m);
    for (const { close } of streams) close();
  });

  it("let no other Switchyard in at their port", async () => {
    const { port } = new URL(server.address);
    const other = { DATA_DIR: mkdtempSync(join(dataDir, "other-")), PORT: port };
    for (const count of ["1", "2"])
      await expect(startProcess({ ...other, PROCESSES: count })).rejects.toThrow(
        `Port ${port} of 127.0.0.1 is in use by another program`,
      );
  });

  it("go on when one is killed, which is started again", async () => {
    const [killed = 0] = serving();
    process.kill(killed, "SIGKILL");
    await eventually(
      () => (serving().length === 2 && !serving().includes(killed)) || undefined,
      server.output,
    );
    const report = "A process ended (SIGKILL) and is started again.";
    await eventually(() => server.output().includes(report) || undefined, server.output);
    expect((await call("GET", FLAGS)).status).toBe(200);
  });

  it("end with the one that started them", async () => {
    const pids = serving();
    await server.end("SIGKILL");
    const isAlive = (pid: number) => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    await eventually(() => pids.every((pid) => !isAlive(pid)) || undefined);
    server = await startProcess({ DATA_DIR: dataDir, PROCESSES: "2" });
    expect((await call("GET", `${FLAGS}?limit=1`)).json.count).toBe(30);
    const streams = await openStreams(4);
    await eventually(() => streams.every(({ text }) => text().includes("id: ")) || undefined);
    const began = performance.now();
    expect(await server.end("SIGTERM")).toBe(0);
    // Streams never end by themselves, and are not waited for.
    expect(performance.now() - began).toBeLessThan(8_000);
    for (const { text, over } of streams) {
      await over;
      expect(text()).toMatch(/retry: \d+\n\n$/);
    }
  });
});
