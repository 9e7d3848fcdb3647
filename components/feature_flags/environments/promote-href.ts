import type { Route } from "next";

/** The page on which flags of a project are promoted to another one. */
export function promoteHref(to: number | string, from: number | string, keys: readonly string[]): Route {
  const query = new URLSearchParams([["from", String(from)], ...keys.map((key) => ["key", key])]);
  return `/project/${to}/feature_flags/promote?${query}` as Route;
}
