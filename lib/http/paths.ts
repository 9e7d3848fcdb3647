/** Where the API's paths begin; everything else is the dashboard's. A prefix stands for itself and all below it. */
export const API_PREFIXES = [
  "/api",
  "/flags",
  "/decide",
  "/batch",
  "/capture",
  "/e",
  "/i",
  "/s",
  "/array",
  "/static",
  "/ofrep",
  "/external_surveys",
  "/healthz",
  "/readyz",
] as const;

const firstSegments: ReadonlySet<string> = new Set(API_PREFIXES);

/** Whether a request target (a path, perhaps with a query) is the API's to answer. */
export function isApiPath(target: string): boolean {
  const [, first] = /^(\/[^/?#]*)/.exec(target) ?? [];
  return first !== undefined && firstSegments.has(first);
}
