import type { FlagKind } from "#components/feature_flags/list-item.ts";

type Sdk = "browser" | "node" | "python" | "other";

const SDK_OF: Record<string, Sdk> = {
  web: "browser",
  js: "browser",
  "posthog-js-lite": "browser",
  "posthog-node": "node",
  "posthog-edge": "node",
  "posthog-python": "python",
};

const LABELS: Record<Sdk, string> = {
  browser: "Browser",
  node: "Node.js",
  python: "Python",
  other: "Other SDKs",
};

const COMMENT: Record<Sdk, string> = { browser: "//", node: "//", python: "#", other: "#" };

/** How each SDK asks for the flag. */
function calls(sdk: Sdk, key: string, kind: FlagKind): string {
  const of = kind === "boolean" ? 0 : kind === "variants" ? 1 : 2;
  const by: Record<Exclude<Sdk, "other">, readonly [string, string, string]> = {
    browser: [
      `posthog.isFeatureEnabled("${key}")`,
      `posthog.getFeatureFlag("${key}")`,
      `posthog.getFeatureFlagPayload("${key}")`,
    ],
    node: [
      `await client.isFeatureEnabled("${key}", userId)`,
      `await client.getFeatureFlag("${key}", userId)`,
      `await client.getFeatureFlagPayload("${key}", userId)`,
    ],
    python: [
      `posthog.feature_enabled("${key}", user_id)`,
      `posthog.get_feature_flag("${key}", user_id)`,
      `posthog.get_feature_flag_payload("${key}", user_id)`,
    ],
  };
  return sdk === "other" ? "" : (by[sdk][of] ?? "");
}

const lines = (...all: (string | false)[]) => all.filter((line) => line !== false).join("\n");

/** A call in code, and what is left of it. */
function snippet(sdk: Sdk, key: string, kind: FlagKind, keep: boolean | string): string {
  const note = COMMENT[sdk];
  if (sdk === "other")
    return lines(
      `${note} Every place that names the flag:`,
      `git grep -n -F "${key}"`,
      "",
      kind !== "remote" &&
        `${note} Keep what the code does for ${JSON.stringify(keep)}, and remove the rest.`,
    );
  const call = calls(sdk, key, kind);
  const python = sdk === "python";
  if (kind === "remote")
    return lines(
      `- ${python ? "settings" : "const settings"} = ${call}`,
      `+ ${note} the settings, in code or in a file`,
    );
  const value = JSON.stringify(keep);
  const test = kind === "variants" && keep !== false ? `${call} ${python ? "==" : "==="} ${value}` : call;
  const kept = `what the code does for ${value}`;
  const removed = "everything else";
  const [first, second] = keep === false ? [removed, kept] : [kept, removed];
  return lines(
    python ? `- if ${test}:` : `- if (${test}) {`,
    `${keep === false ? "-" : " "}   ${note} ${first}`,
    python ? "- else:" : "- } else {",
    `${keep === false ? " " : "-"}   ${note} ${second}`,
    !python && "- }",
  );
}

/** How the flag goes from the code, for the SDKs that call it first. */
export function buildRemovals(key: string, kind: FlagKind, keep: boolean | string, libs: readonly string[]) {
  const called = libs.flatMap((lib) => SDK_OF[lib] ?? []);
  const order = [...new Set<Sdk>([...called, "browser", "node", "python", "other"])];
  return order.map((sdk) => ({
    value: sdk,
    label: LABELS[sdk],
    code: snippet(sdk, key, kind, keep),
  }));
}
