import type { FlagKind } from "#components/feature_flags/list-item.ts";

/** What the code does: evaluate a kind of flag, or identify a person. */
export type SnippetKind = FlagKind | "person";
type Facts = { token: string; origin: string; key: string; kind: SnippetKind };

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
    kind === "person" && "client.identify({",
    kind === "person" && "  distinctId: userId,",
    kind === "person" && '  properties: { email: "ada@example.com", plan: "pro" },\n});',
  );

const browser = ({ token, origin, key, kind }: Facts) =>
  lines(
    'import posthog from "posthog-js";',
    "",
    `posthog.init("${token}", {`,
    `  api_host: "${origin}",`,
    "});",
    "",
    kind === "person" && 'posthog.identify(userId, { email: "ada@example.com", plan: "pro" });',
    kind !== "person" && "posthog.onFeatureFlags(() => {",
    kind === "boolean" && `  if (posthog.isFeatureEnabled("${key}")) {\n    // the new way\n  }`,
    kind === "variants" && `  const variant = posthog.getFeatureFlag("${key}");`,
    kind === "remote" && `  const settings = posthog.getFeatureFlagPayload("${key}");`,
    kind !== "person" && "});",
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

const curlPerson = ({ token, origin }: Facts) =>
  lines(
    `curl "${origin}/i/v0/e/" \\`,
    "  -H 'Content-Type: application/json' \\",
    "  -d '{",
    `    "api_key": "${token}",`,
    '    "event": "$identify",',
    '    "distinct_id": "user-1",',
    '    "properties": {"$set": {"email": "ada@example.com", "plan": "pro"}}',
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

/** Code that evaluates a flag or identifies a person, by SDK. OpenFeature only evaluates. */
export const buildSnippets = (facts: Facts) => [
  { value: "node", label: "Node.js", code: node(facts) },
  { value: "browser", label: "Browser", code: browser(facts) },
  { value: "curl", label: "curl", code: facts.kind === "person" ? curlPerson(facts) : curl(facts) },
  ...(facts.kind === "person"
    ? []
    : [{ value: "openfeature", label: "OpenFeature", code: openFeature(facts) }]),
];
