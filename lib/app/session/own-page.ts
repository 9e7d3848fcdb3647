/**
 * Whether one of our own pages sent a request. Browsers name the origin of every POST, and the session's cookie alone
 * does not tell pages of the same site apart.
 */
export function isFromOwnPage(headers: Headers): boolean {
  const origin = headers.get("origin");
  if (!origin || !URL.canParse(origin)) return false;
  return new URL(origin).host === (headers.get("x-forwarded-host") ?? headers.get("host"));
}
