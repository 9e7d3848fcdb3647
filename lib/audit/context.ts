import type * as http from "#lib/platform/http/context.ts";

export type Runtime = http.Runtime & { settings: http.Settings };
export type MemberContext = http.MemberContext<Runtime>;
