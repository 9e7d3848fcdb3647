import type { Route } from "next";
import type { MouseEvent } from "react";

/** Parameters that only open something beside a page whose figures stay as they are. */
const BESIDE = ["open", "of"];

type Goes = { push: (href: Route, options?: { scroll?: boolean }) => void };

const rest = (query: URLSearchParams) => {
  const left = new URLSearchParams(query);
  for (const name of BESIDE) left.delete(name);
  left.sort();
  return left.toString();
};

/**
 * Follows a figure's link without moving the page. Where the address only opens rows beside the same page, the
 * page is not read again. Presses that ask for another tab or window are left to the browser.
 */
export function goTo(event: MouseEvent, href: Route, router: Goes): void {
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0) return;
  event.preventDefault();
  const target = new URL(href, window.location.href);
  const here = new URL(window.location.href);
  const same = target.pathname === here.pathname && rest(target.searchParams) === rest(here.searchParams);
  if (same) window.history.pushState(null, "", target);
  else router.push(href, { scroll: false });
}
