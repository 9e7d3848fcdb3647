import type { Scope } from "./contract.ts";

/**
 * Whether a key with these scopes may do what needs `scope`; writing includes reading.
 *
 * @param held the key's scopes; null where its API does not tell, so that the API itself decides
 */
export function allows(held: readonly string[] | null, scope: Scope): boolean {
  if (held === null || held.includes("*") || held.includes(scope)) return true;
  return held.includes(scope.replace(/:read$/, ":write"));
}
