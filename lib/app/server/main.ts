import cluster from "node:cluster";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { type Config, config, prepareEnvironment, StartError } from "#lib/platform/config.ts";
import { type Database, database } from "#lib/platform/db/connect.ts";
import { log } from "#lib/platform/log.ts";
import type { Serving } from "#lib/platform/siblings.ts";
import { followWith } from "#lib/platform/tracing.ts";
import packageFile from "#package" with { type: "json" };
import { ensureBuild } from "./build.ts";
import { readinessOf } from "./health.ts";
import { type HttpServer, listen } from "./http-server.ts";
import { collectForServing, startProcesses } from "./processes.ts";
import { onShutdown, runDrainHooks, runShutdownHooks } from "./shutdown.ts";

const root = join(import.meta.dirname, "..", "..", "..");
/** In development browsers hold a connection open for as long as their page is, and nobody waits for them. */
const drainMs = (dev: boolean) => (dev ? 300 : 10_000);

/** What has been started so far, in the order in which it is stopped. */
type Running = {
  http?: HttpServer;
  pages?: { close: () => Promise<void> };
  opened?: Promise<Database>;
  readonly dev: boolean;
};

const slot = Symbol.for("switchyard.handle");
const shared: typeof globalThis & { [slot]?: (request: Request) => Promise<Response> } = globalThis;

type Options = {
  /** Pages are compiled on demand, and changes show at once. */
  dev: boolean;
  /** No dashboard: for additional processes on one database that only serve the API and SDKs. */
  apiOnly: boolean;
};

async function start(running: Running, { dev, apiOnly }: Options): Promise<void> {
  prepareEnvironment(dev);
  const settings = config();
  const http = await listen(settings.host, settings.port, settings, !isFirst());
  running.http = http;
  // Before there is a connection to the database, whose statements are followed. Others need not load the libraries.
  if (settings.sendsTraces) {
    const { createTracer } = await import("#lib/platform/opentelemetry.ts");
    const traces = createTracer(packageFile.version);
    followWith(traces);
    onShutdown(traces.end);
  }
  if (isFirst()) warnOfLocalSecrets(settings);
  const key = Buffer.from(settings.encryptionKey);
  const { readSnapshot, snapshotFile } = await import("#lib/app/snapshot.ts");
  const snapshot = readSnapshot(snapshotFile(settings.dataDir), key);
  running.opened = database(snapshot?.as_of);
  const opened = await running.opened;
  const { away_since: awaySince } = opened.availability;
  if (awaySince === null) await prepareDatabase(opened, settings, key);
  else
    log().warn(
      `The database does not answer: until it does, SDKs are served as of ${awaySince.toISOString()}, and nothing can be changed.`,
    );
  if (!dev && !apiOnly) await ensureBuild(root);
  // Before the service, whose jobs connect to the database: while Next loads, nothing else runs, and they would time out.
  const pages = apiOnly ? noPages : await startPages(running, http, settings, dev);
  const { service } = await import("#lib/app/api.ts");
  // Assembles the service before any request waits for it, and before a page's own copy of the code could.
  const handle = await service();
  // The router compiles its routes for its first request.
  await handle(new Request("http://localhost/api/"));
  shared[slot] = handle;
  await http.serve({ handle, ownsTarget: handle.ownsTarget, pages, readiness: () => readinessOf(opened) });
  const serving: Serving = { port: http.port, address: http.address, database: opened.description };
  if (cluster.worker) cluster.worker.send(serving);
  else announce(serving);
}

/** What the operator sees once the server is ready. */
const announce = ({ address, database }: Serving) =>
  console.info(
    `Switchyard ${packageFile.version} is ready.\n  Address   ${address}\n  Database  ${database}`,
  );

/** Whether this is the only process of its listener, or the one that started before the others. */
const isFirst = () => cluster.worker === undefined || cluster.worker.id === 1;

/** Keeps the embedded database up for as long as any of several processes needs it. */
async function keepDatabase(settings: Config): Promise<{ close: () => Promise<void> }> {
  const { databaseUrl, dataDir } = settings;
  if (databaseUrl !== undefined) return { close: async () => undefined };
  const { Supervisor } = await import("#lib/platform/db/embedded/supervisor.ts");
  const { readSnapshot, snapshotFile } = await import("#lib/app/snapshot.ts");
  const snapshot = readSnapshot(snapshotFile(dataDir), Buffer.from(settings.encryptionKey));
  return Supervisor.start({ dataDir, canWait: snapshot !== null });
}

/** Several processes behind one listener, until they are asked to end. */
async function supervise(settings: Config): Promise<number> {
  const kept = await keepDatabase(settings);
  const processes = startProcesses(settings.processes, announce);
  stopOnSignals(async () => processes.stop());
  const status = await processes.ended;
  await kept.close();
  return status;
}

async function prepareDatabase({ db }: Database, settings: Config, key: Buffer): Promise<void> {
  const { bootstrap } = await import("#lib/identity/projects/bootstrap.ts");
  const first = await bootstrap(db, {
    bootstrap_personal_api_key: settings.bootstrapPersonalApiKey,
    bootstrap_project_token: settings.bootstrapProjectToken,
  });
  const { findEncryptionProblem, recordKey } = await import("#lib/flags/feature_flags/filters/encryption.ts");
  const problem = await findEncryptionProblem(db, key, settings.encryptionKeySource);
  if (problem) log().warn(problem);
  else await recordKey(db, key);
  // Printed as soon as it is known: it cannot be read from the database again.
  if (first) console.info(firstCredentials(first, settings));
}

type FirstCredentials = { personal_api_key: string; project_token: string };

/** The first key and token in a frame; those that the operator chose are not repeated. */
function firstCredentials(first: FirstCredentials, settings: Config): string {
  const key = settings.bootstrapPersonalApiKey
    ? "as given in BOOTSTRAP_PERSONAL_API_KEY"
    : first.personal_api_key;
  const token = settings.bootstrapProjectToken ? "as given in BOOTSTRAP_PROJECT_TOKEN" : first.project_token;
  const lines = [
    "Your first credentials. They are shown only once: save them now.",
    "",
    `Personal API key  ${key}`,
    `Project token     ${token}`,
    "",
    "The key signs you in to the dashboard with full access; SDKs use the token.",
  ];
  const width = Math.max(...lines.map((line) => line.length));
  const edge = "─".repeat(width + 2);
  return [`┌${edge}┐`, ...lines.map((line) => `│ ${line.padEnd(width)} │`), `└${edge}┘`].join("\n");
}

/** Secrets stored in DATA_DIR are one machine's; processes on a shared database must agree on them. */
function warnOfLocalSecrets(settings: Config): void {
  // Made now, if they have to be, so that a DATA_DIR that cannot keep them stops the start.
  void settings.sessionSecret;
  void settings.encryptionKey;
  if (settings.databaseUrl === undefined || settings.secretsAreGiven) return;
  log().warn(
    `DATABASE_URL is set, but SESSION_SECRET or ENCRYPTION_KEY is not: those in ${settings.dataDir}/secrets are used, and every process on this database needs the same ones.`,
  );
}

async function noPages(_: IncomingMessage, response: ServerResponse): Promise<void> {
  response.writeHead(404, { "content-type": "text/plain" }).end("This process serves the API only.\n");
}

async function startPages(running: Running, http: HttpServer, { host, port }: Config, dev: boolean) {
  const { default: next } = await import("next");
  const pages = next({ dev, dir: root, customServer: true, hostname: host, port, httpServer: http.server });
  await pages.prepare();
  running.pages = pages;
  return pages.getRequestHandler();
}

async function stop({ http, pages, opened, dev }: Running): Promise<void> {
  const drained = http?.drain(drainMs(dev));
  runDrainHooks();
  await drained;
  await pages?.close();
  await runShutdownHooks();
  await (await opened?.catch(() => undefined))?.close();
}

/** Calls `stop` at the first signal to end, and ends at the second. */
function stopOnSignals(stop: () => Promise<void>): void {
  let stopping = false;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, async () => {
      // Asked twice: the person at the terminal does not want to wait. The database is stopped by its watchdog.
      if (stopping) process.exit(1);
      stopping = true;
      try {
        await stop();
      } catch (error) {
        console.error(error);
        process.exit(1);
      }
    });
  }
}

async function serve(options: Options): Promise<void> {
  collectForServing();
  const running: Running = { dev: options.dev };
  stopOnSignals(async () => {
    await stop(running);
    process.exit(0);
  });
  try {
    await start(running, options);
  } catch (error) {
    console.error(error instanceof StartError ? error.message : error);
    await stop(running).catch(() => undefined);
    process.exit(1);
  }
}

const given = (option: string) => process.argv.includes(option);
const options: Options = { dev: given("--dev"), apiOnly: given("--api-only") };
try {
  const settings = config();
  if (given("--relay")) {
    const { becomeRelay } = await import("#lib/app/become-relay.ts");
    await becomeRelay(settings.dataDir, process.argv[process.argv.indexOf("--relay") + 1]);
  }
  if (cluster.isWorker || options.dev || settings.processes === 1) await serve(options);
  else process.exit(await supervise(settings));
} catch (error) {
  console.error(error instanceof StartError ? error.message : error);
  process.exit(1);
}
