import type { Config } from "#lib/platform/config.ts";

type FirstCredentials = { personal_api_key: string; project_token: string };

/** What the operator sees once the server is ready. */
export function announcement(address: string, description: string, version: string): string {
  return `Switchyard ${version} is ready.\n  Address   ${address}\n  Database  ${description}`;
}

/** The first key and token in a frame; those that the operator chose are not repeated. */
export function firstCredentials(first: FirstCredentials, settings: Config): string {
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
