import type { FlagKind } from "./list_item.ts";

type Facts = { token: string; origin: string; key: string; kind: FlagKind };

const lines = (...parts: (string | false)[]) => parts.filter((part) => part !== false).join("\n");

const node = ({ token, origin, key, kind }: Facts) =>
  lines(
    'import { PostHog } from "posthog-node";',
    "",
    `const client = new PostHog("${token}", {`,
    `  host: "${origin}",`,
    "});",
    "",
    kind === "boolean" && `if (await client.isFeatureEnabled("${key}", userId)) {`,
    kind === "boolean" && "  // the new way\n}",
    kind === "variants" && `const variant = await client.getFeatureFlag("${key}", userId);`,
    kind === "remote" && `const settings = await client.getFeatureFlagPayload("${key}", userId);`,
  );

const browser = ({ token, origin, key, kind }: Facts) =>
  lines(
    'import posthog from "posthog-js";',
    "",
    `posthog.init("${token}", {`,
    `  api_host: "${origin}",`,
    "});",
    "",
    "posthog.onFeatureFlags(() => {",
    kind === "boolean" && `  if (posthog.isFeatureEnabled("${key}")) {\n    // the new way\n  }`,
    kind === "variants" && `  const variant = posthog.getFeatureFlag("${key}");`,
    kind === "remote" && `  const settings = posthog.getFeatureFlagPayload("${key}");`,
    "});",
  );

const curl = ({ token, origin, key }: Facts) =>
  lines(
    `curl "${origin}/flags/?v=2" \\`,
    "  -H 'Content-Type: application/json' \\",
    "  -d '{",
    `    "api_key": "${token}",`,
    '    "distinct_id": "user-1",',
    `    "flag_keys_to_evaluate": ["${key}"]`,
    "  }'",
  );

const openFeature = ({ token, origin, key, kind }: Facts) =>
  lines(
    'import { OpenFeature } from "@openfeature/server-sdk";',
    'import { OFREPProvider } from "@openfeature/ofrep-provider";',
    "",
    "await OpenFeature.setProviderAndWait(",
    "  new OFREPProvider({",
    `    baseUrl: "${origin}",`,
    `    headers: { Authorization: "Bearer ${token}" },`,
    "  }),",
    ");",
    "const client = OpenFeature.getClient();",
    kind === "variants"
      ? `await client.getStringValue("${key}", "control", { targetingKey: userId });`
      : `await client.getBooleanValue("${key}", false, { targetingKey: userId });`,
  );

/** Code that asks for a flag, by the way it is asked for. */
export const snippetsFor = (facts: Facts) => [
  { value: "node", label: "Node.js", code: node(facts) },
  { value: "browser", label: "Browser", code: browser(facts) },
  { value: "curl", label: "curl", code: curl(facts) },
  { value: "openfeature", label: "OpenFeature", code: openFeature(facts) },
];
