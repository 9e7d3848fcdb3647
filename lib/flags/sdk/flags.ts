import { randomUUID } from "node:crypto";
import type { Context } from "hono";
import type { Evaluation } from "#lib/engines/evaluation/values/types.ts";
import type { SdkMounting } from "#lib/flags/context.ts";
import type { Snapshot } from "#lib/flags/feature_flags/evaluation/definitions.ts";
import {
  evaluateOrLeaveUndecided,
  isUndecided,
  readsNothing,
} from "#lib/flags/feature_flags/evaluation/evaluation.ts";
import type { ProjectRow } from "#lib/platform/http/directory.ts";
import { JSON_HEADERS, openAnswer, projectOf } from "#lib/platform/http/open.ts";
import { readSdkBody } from "./body.ts";
import { type AskOrigin, objectOf, parseFlagsCall, tokenOf } from "./call.ts";
import { type HasExperiment, outcomesBytes, payloadText } from "./outcome-text.ts";
import { buildRemoteConfig, type HasSurveys } from "./remote-config.ts";
import { selectFor } from "./selection.ts";

/** The forms in which flags are answered, newest first; older SDKs ask for older ones. */
type Form = "flags" | "values" | "enabled_values" | "enabled_keys";

const valuesOf = (evaluations: readonly Evaluation[]) =>
  Object.fromEntries(evaluations.map(({ key, value }) => [key, value]));

const enabledOf = (evaluations: readonly Evaluation[]) => evaluations.filter(({ value }) => value !== false);

function payloadsOf(evaluations: readonly Evaluation[]): Record<string, string> {
  const texts = evaluations.map(({ key, payload }) => [key, payloadText(payload)] as const);
  return Object.fromEntries(texts.filter((entry): entry is [string, string] => entry[1] !== null));
}

/** The answer: flags in the requested form, then `rest`, the text of further members without the braces around. */
function answerBytes(
  form: Form,
  evaluations: readonly Evaluation[],
  rest: string,
  hasExperiment: HasExperiment,
): Buffer {
  if (form === "flags") return outcomesBytes('{"flags":{', evaluations, `},${rest}}`, hasExperiment);
  // Only the newest form can say that a flag is undecided: SDKs go on with what they know of those left out.
  evaluations = evaluations.filter((evaluation) => !isUndecided(evaluation));
  if (form === "values") {
    const values = JSON.stringify(valuesOf(evaluations));
    const payloads = JSON.stringify(payloadsOf(evaluations));
    return Buffer.from(`{"featureFlags":${values},"featureFlagPayloads":${payloads},${rest}}`);
  }
  const enabled = enabledOf(evaluations);
  const flags = form === "enabled_values" ? valuesOf(enabled) : enabled.map(({ key }) => key);
  return Buffer.from(`{"featureFlags":${JSON.stringify(flags)},${rest}}`);
}

const formOfDecide = (version: string | null): Form => {
  const number = Number(version ?? 1);
  if (number >= 4) return "flags";
  return number >= 3 ? "values" : number >= 2 ? "enabled_values" : "enabled_keys";
};

/** Members of /decide that its time's SDKs read beside the flags. */
const DECIDE = { config: { enable_collect_everything: false }, toolbarParams: {}, isAuthenticated: false };

/** What an answer says beside the flags: where they ask for it, browsers' SDKs get their configuration along. */
async function besides(
  path: "flags" | "decide",
  url: URL,
  project: ProjectRow,
  snapshot: Snapshot,
  hasSurveys: HasSurveys,
): Promise<string> {
  if (path === "flags" && url.searchParams.get("config") !== "true") return "";
  const config = buildRemoteConfig(project.api_token, snapshot, await hasSurveys(project.id));
  return `,${JSON.stringify(path === "decide" ? { ...DECIDE, ...config } : config).slice(1, -1)}`;
}

/** `/flags` and the older `/decide`: every flag's value for one person. */
export function flagsHandler(
  mounting: SdkMounting,
  path: "flags" | "decide",
  { hasSurveys, askOrigin }: { hasSurveys: HasSurveys; askOrigin?: AskOrigin | undefined },
) {
  const { runtime } = mounting;
  return async (request: Request, c: Context): Promise<Response> => {
    const url = new URL(request.url);
    const now = Date.now();
    const body = objectOf(await readSdkBody(request, url));
    const project = await projectOf(mounting, tokenOf(body, url.searchParams), now);
    const call = parseFlagsCall(body, url.searchParams, request.headers, now);
    const snapshot = await runtime.definitions.latest(project.id);
    const selection = selectFor(snapshot, call);
    if (askOrigin && !call.disabled && !readsNothing(selection, call)) {
      const answered = await askOrigin(request, body);
      if (answered) return answered;
    }
    runtime.instances.evaluated(project.id, request.headers.get("user-agent"), request.url);
    const evaluated = call.disabled
      ? []
      : evaluateOrLeaveUndecided(runtime, project.id, snapshot, selection, call);
    const evaluations = evaluated instanceof Promise ? await evaluated : evaluated;
    const isIncomplete = evaluations.some(isUndecided);
    const staleSince = runtime.availability.away_since?.toISOString();
    const version = url.searchParams.get("v");
    const form = path === "decide" ? formOfDecide(version) : Number(version ?? 1) >= 2 ? "flags" : "values";
    const more = await besides(path, url, project, snapshot, hasSurveys);
    const stale = staleSince === undefined ? "" : `"staleSince":"${staleSince}",`;
    const rest = `"errorsWhileComputingFlags":${isIncomplete},${stale}"requestId":"${randomUUID()}","evaluatedAt":${now}${more}`;
    const { byId } = snapshot.flags;
    const hasExperiment: HasExperiment = (id) => (byId.get(id ?? 0)?.experiment_set.length ?? 0) > 0;
    const bytes = answerBytes(form, evaluations, rest, hasExperiment) as Uint8Array<ArrayBuffer>;
    return openAnswer(c, bytes, { status: 200, headers: JSON_HEADERS });
  };
}
