const METHODS = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);
const BODY_MAX = 1_000_000;

/** A call that somebody wants to try, as the browser sends it: nothing of it is trusted. */
export type Trial = { method: string; path: string; query: Record<string, string>; body: string | null };

/** What came back. */
export type Tried = {
  status: number;
  ms: number;
  headers: [string, string][];
  body: string;
  /** How much there was in all, where `body` is only its beginning. */
  cut_from: number | null;
};

/**
 * The address of a call to the API at `base`, and nowhere else.
 *
 * @returns null for another method, a path outside /api/, or one that leads elsewhere
 */
export function trialAddress(base: string, { method, path, query, body }: Trial): URL | null {
  if (!METHODS.has(method) || typeof path !== "string" || !path.startsWith("/api/")) return null;
  if (body !== null && (typeof body !== "string" || body.length > BODY_MAX)) return null;
  if (/[\\?#\p{Cc}]/u.test(path) || !URL.canParse(path, base)) return null;
  const here = new URL(base);
  const url = new URL(path, base);
  if (url.origin !== here.origin || !url.pathname.startsWith("/api/")) return null;
  // A base address may itself have a path.
  url.pathname = `${here.pathname.replace(/\/$/, "")}${url.pathname}`;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  return url;
}
