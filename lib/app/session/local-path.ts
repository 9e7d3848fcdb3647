/** Paths without a dashboard page: going there after signing in would be wrong or start over. */
const NO_PAGE = /^\/(sign-in|api|bff|_next)(\/|$)/;

/**
 * A path of this dashboard that came from outside (an address, a form), or "/" where it is anything else:
 * another site, a sign-in page, an address without a page.
 *
 * @param given path with query, such as "/project/1/feature_flags?search=new"
 */
export function localPath(given: string | null | undefined): string {
  // Browsers read "\" as "/" and drop tabs and line breaks, so that "/\evil.example" leaves the site.
  if (!given?.startsWith("/") || /^\/[/\\]|[\\\p{Cc}]/u.test(given)) return "/";
  const here = "http://switchyard.internal";
  if (!URL.canParse(given, here)) return "/";
  const url = new URL(given, here);
  if (url.origin !== here || url.pathname.startsWith("//") || NO_PAGE.test(url.pathname)) return "/";
  // Next's own parameter for page data, present when a navigation inside the app was refused.
  url.searchParams.delete("_rsc");
  return `${url.pathname}${url.search}${url.hash}`;
}
