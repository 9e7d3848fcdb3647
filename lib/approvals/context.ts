import type * as http from "#lib/platform/http/context.ts";
import type { Endpoint } from "#lib/platform/http/contract.ts";
import type * as surveys from "#lib/surveys/context.ts";
import type { PolicyCache } from "./approval_policies/cache.ts";

/** One call of the API, as it was sent; the operation is `resource.verb`, as in the contracts. */
export type Call = {
  operation: string;
  params: Record<string, string>;
  query: Record<string, string>;
  body?: unknown;
};

export type Runtime = surveys.Runtime & { policies: PolicyCache };
/** What requests need besides: they make calls of the API. */
export type CallingRuntime = Runtime & {
  /** Every operation of the API, by name. */
  operations: ReadonlyMap<string, Endpoint>;
  /**
   * Makes a call in somebody's name, without the checks of a request.
   *
   * @throws ApiError as the call would be refused
   */
  perform: (context: CallingContext, call: Call) => Promise<unknown>;
};
export type MemberContext = http.MemberContext<Runtime>;
export type CallingContext = http.MemberContext<CallingRuntime>;
/** Who changes something, and when: what a request and a job have in common. */
export type SavingContext = Pick<MemberContext, "db" | "runtime" | "project" | "user" | "now">;
