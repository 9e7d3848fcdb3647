import { contracts } from "#lib/app/contracts.ts";
import { type Endpoint, onlyReads } from "#lib/platform/http/contract.ts";

const patternOf = ({ path }: Endpoint) => new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}?$`);

const READS_BY_POST = Object.values(contracts)
  .flatMap((contract): Endpoint[] => Object.values(contract))
  .filter((declared) => declared.method === "POST" && onlyReads(declared))
  .map(patternOf);

/** Whether a POST to this path of the API only reads, so that the browser may send it through the dashboard. */
export const readsByPost = (path: string): boolean => READS_BY_POST.some((pattern) => pattern.test(path));
