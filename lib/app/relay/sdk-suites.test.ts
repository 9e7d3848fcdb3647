import { afterAll } from "vitest";
import { front } from "#testing/front.ts";
import { relayed } from "#testing/relay.ts";

/** The suites of what SDKs call, against a relay: unchanged, since it answers as its origin does. */
front.of = relayed;
// Other files that this worker runs have the service itself.
afterAll(() => {
  front.of = null;
});

await import("#lib/flags/sdk/flags.test.ts");
await import("#lib/flags/sdk/body.test.ts");
await import("#lib/flags/sdk/definitions.test.ts");
await import("#lib/flags/sdk/ofrep.test.ts");
await import("#lib/flags/sdk/remote-config.test.ts");
await import("#lib/flags/sdk/bundles.test.ts");
await import("#lib/flags/sdk/clients.test.ts");
await import("#lib/surveys/surveys/feed.test.ts");
