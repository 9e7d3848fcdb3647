import type * as http from "#lib/platform/http/context.ts";
import type { PolicyCache } from "./approval_policies/cache.ts";

export type Runtime = http.Runtime & { policies: PolicyCache };
export type MemberContext = http.MemberContext<Runtime>;
