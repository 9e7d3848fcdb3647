/**
 * The process of a relay. `lib/app/become-relay.ts` bundles this file, so that neither the rest of the service nor the
 * compiler of TypeScript is in memory.
 */
import { join } from "node:path";
import { listen } from "#lib/app/server/http-server.ts";
import { config, parseAddress, StartError } from "#lib/platform/config.ts";
import { log } from "#lib/platform/log.ts";
import packageFile from "#package" with { type: "json" };
import { createRelay } from "./relay.ts";

/** Requests in progress may take so long to end. */
const DRAIN_MS = 10_000;

/** @throws StartError where the settings do not make a relay */
function settingsOf(address: string | undefined) {
  const settings = config();
  const url = parseAddress("--relay", address);
  const { relayKey: key, relayPublicKey: public_key, spoolBytes } = settings;
  if (key === undefined)
    throw new StartError(
      "RELAY_KEY must be set: a personal API key of an administrator of the origin, with relay:read.",
    );
  if (public_key === undefined)
    throw new StartError(
      "RELAY_PUBLIC_KEY must be set: the origin shows it to administrators under Settings, Health & data.",
    );
  if (spoolBytes === 0)
    throw new StartError("SPOOL must not be off: a relay stores events before it answers.");
  return { settings, url, key, public_key, spoolBytes };
}

async function run(): Promise<void> {
  const { settings, url, key, public_key, spoolBytes } = settingsOf(process.argv[2]);
  const http = await listen(settings.host, settings.port, settings);
  const relay = createRelay({
    version: packageFile.version,
    url,
    key,
    public_key,
    poll_ms: settings.relayPollMs,
    folder: join(settings.dataDir, "relay"),
    spool_bytes: spoolBytes,
    limits: {
      management: settings.rateLimitPerMinute,
      definitions: settings.sdkRateLimitPerMinute,
      events: settings.eventRateLimitPerMinute,
    },
    metrics_token: settings.metricsToken,
  });
  let isEnding = false;
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.on(signal, async () => {
      if (isEnding) process.exit(1);
      isEnding = true;
      const drained = http.drain(DRAIN_MS);
      relay.endStreams();
      await drained;
      await relay.end();
      process.exit(0);
    });
  await relay.begin();
  const { handle, readiness } = relay;
  const pages = () => Promise.reject(new Error("A relay has no pages."));
  await http.serve({ handle, ownsTarget: () => true, pages, readiness });
  console.info(
    `Switchyard ${packageFile.version} is ready.\n  Address   ${http.address}\n  Relay of  ${url}`,
  );
  const { sequence, problem } = relay.status().origin;
  if (sequence === null) log().warn(`There is nothing to serve yet. ${problem ?? ""}`);
}

try {
  await run();
} catch (error) {
  console.error(error instanceof StartError ? error.message : error);
  process.exit(1);
}
