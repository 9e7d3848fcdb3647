import { DASHBOARD_MARK, dashboardMark } from "#lib/platform/dashboard-mark.ts";

const AGENTS = /\b(?:mcp|agent)\b|agent-toolkit/i;

/**
 * Who makes a call: a person in the dashboard, an agent (a client that says so in its user agent), or another program
 * with a key.
 */
export function actorOf({ headers }: { headers: Headers }): "person" | "key" | "agent" {
  if (headers.get(DASHBOARD_MARK) === dashboardMark()) return "person";
  return AGENTS.test(headers.get("user-agent") ?? "") ? "agent" : "key";
}
