import { join } from "node:path";
import { afterAll } from "vitest";
import { front } from "#testing/front.ts";
import { relayed } from "#testing/relay.ts";

const MODULES = join(import.meta.dirname, "..", "..");

/** The suites of what SDKs call. */
const SUITES = [
  "flags/sdk/flags.test.ts",
  "flags/sdk/body.test.ts",
  "flags/sdk/definitions.test.ts",
  "flags/sdk/ofrep.test.ts",
  "flags/sdk/remote-config.test.ts",
  "flags/sdk/bundles.test.ts",
  "flags/sdk/clients.test.ts",
  "surveys/surveys/feed.test.ts",
];

// Against a relay they are unchanged, since it answers as its origin does.
front.of = relayed;
// Other files that this worker runs have the service itself.
afterAll(() => {
  front.of = null;
});
// A module is evaluated once in a worker: with a query it is another one than the file that runs by itself.
for (const suite of SUITES) await import(`${join(MODULES, suite)}?relay`);
