import { isObject } from "#lib/engines/json.ts";
import type { SdkRuntime } from "#lib/flags/context.ts";
import type { flagContract } from "#lib/flags/feature_flags/contract.ts";
import { REDACTED } from "#lib/flags/feature_flags/filters/payloads.ts";
import type * as http from "#lib/platform/http/context.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { answerDefinitions, sendsCohorts } from "./definitions.ts";

type ProjectContext = http.ProjectContext<SdkRuntime>;

/** The definitions of the context's project; flags that only carry a payload have an endpoint of their own. */
export async function local_evaluation(context: ProjectContext): Promise<Response> {
  const snapshot = await context.runtime.definitions.project(context.project.id);
  const document = snapshot.document({
    cohorts: sendsCohorts(context.url.searchParams),
    redacted: context.key === null,
    remote_configurations: false,
  });
  return answerDefinitions(document, context.headers.get("if-none-match"));
}

export async function remote_config(
  context: ProjectContext,
  { params }: Input<typeof flagContract.remote_config>,
) {
  const { byId, live } = await context.runtime.flags.project(context.project.id);
  const byKey = (key: string) => live.find((flag) => flag.key === key);
  const flag = /^\d+$/.test(params.id) ? byId.get(Number(params.id)) : byKey(params.id);
  if (!flag?.is_remote_configuration || flag.deleted) return new Response(null, { status: 404 });
  const payload = isObject(flag.filters.payloads) ? flag.filters.payloads.true : undefined;
  if (payload === undefined || payload === null) return new Response(null, { status: 200 });
  if (flag.has_encrypted_payloads && !context.key) return REDACTED;
  return typeof payload === "string" ? payload : JSON.stringify(payload);
}
