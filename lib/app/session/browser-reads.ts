import { contracts } from "#lib/app/contracts.ts";
import { type Endpoint, onlyReads } from "#lib/platform/http/contract.ts";

const patternOf = ({ path }: Endpoint) => new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}?$`);

const READS_BY_POST = Object.values(contracts)
  .flatMap((contract): Endpoint[] => Object.values(contract))
  .filter((declared) => declared.method === "POST" && onlyReads(declared))
  .map(patternOf);

/** Whether a POST to this path of the API only reads, so that the browser may send it through the dashboard. */
export const readsByPost = (path: string): boolean => READS_BY_POST.some((pattern) => pattern.test(path));

/**
 * Whether one of our own pages sent a request. Browsers name the origin of every POST, and the session's cookie alone
 * does not tell pages of the same site apart.
 */
export function isFromOwnPage(headers: Headers): boolean {
  const origin = headers.get("origin");
  if (!origin || !URL.canParse(origin)) return false;
  return new URL(origin).host === (headers.get("x-forwarded-host") ?? headers.get("host"));
}
