import { createHash } from "node:crypto";
import type { Evaluation } from "#lib/engines/evaluation/values/types.ts";
import { isObject } from "#lib/engines/json.ts";
import type { SdkMounting } from "#lib/flags/context.ts";
import type { Flag } from "#lib/flags/feature_flags/cache.ts";
import { computeNamesETag } from "#lib/flags/feature_flags/evaluation/etag.ts";
import {
  type EvaluationCall,
  evaluateOrLeaveUndecided,
  isUndecided,
  readsNothing,
} from "#lib/flags/feature_flags/evaluation/evaluation.ts";
import { isDeeperThan } from "#lib/people/events/text.ts";
import { parseBoundedJson, readBytes } from "#lib/platform/http/body/body.ts";
import type { ProjectRow } from "#lib/platform/http/directory.ts";
import { ApiError } from "#lib/platform/http/errors.ts";
import { JSON_HEADERS, OPEN, projectOf } from "#lib/platform/http/open.ts";
import { CALL_VALUES } from "./body.ts";
import { type AskOrigin, groupKeys, groupProperties, holdsLongText, TEXT_LIMIT } from "./call.ts";
import { payloadText } from "./outcome-text.ts";
import { guessRuntime } from "./runtimes.ts";
import { selectFor } from "./selection.ts";

type ErrorCode = "FLAG_NOT_FOUND" | "TARGETING_KEY_MISSING" | "INVALID_CONTEXT" | "PARSE_ERROR" | "GENERAL";

const LIMIT = 1024 * 1024;
const DEPTH_LIMIT = 64;
const DISTINCT_ID_LIMIT = 4096;

/** A refusal in the protocol's own words. */
class Refusal extends Error {
  readonly status: number;
  readonly code: ErrorCode;
  constructor(status: number, code: ErrorCode, details: string) {
    super(details);
    this.status = status;
    this.code = code;
  }
}

function answer(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { ...JSON_HEADERS, ...headers } });
}

/** Every answer to a request about one flag names it; without, clients cannot tell what failed. */
function refusalOf(error: unknown, key: string | null): Response {
  const named = key === null ? {} : { key };
  if (error instanceof Refusal)
    return answer(error.status, { ...named, errorCode: error.code, errorDetails: error.message });
  if (!(error instanceof ApiError)) throw error;
  const code: ErrorCode = error.status === 400 ? "PARSE_ERROR" : "GENERAL";
  return answer(error.status, { ...named, errorCode: code, errorDetails: error.message }, error.headers);
}

function credentialOf(headers: Headers): string {
  const bearer = /^Bearer\s+(\S+)\s*$/i.exec(headers.get("authorization") ?? "")?.[1];
  return bearer ?? headers.get("x-api-key")?.trim() ?? "";
}

/** The evaluation context: who it is, their groups, and the rest as properties of the person. */
function callOf(body: unknown, now: number): EvaluationCall {
  const context = isObject(body) ? (body.context ?? {}) : null;
  if (!isObject(context)) throw new Refusal(400, "INVALID_CONTEXT", "context must be an object.");
  if (isDeeperThan(context, DEPTH_LIMIT))
    throw new Refusal(400, "INVALID_CONTEXT", `context is nested deeper than ${DEPTH_LIMIT} levels.`);
  if (holdsLongText(context))
    throw new Refusal(400, "INVALID_CONTEXT", `No string can be longer than ${TEXT_LIMIT} characters.`);
  const { targetingKey, groups, groupProperties: ofGroups, ...properties } = context;
  if (targetingKey === undefined || targetingKey === null || targetingKey === "")
    throw new Refusal(400, "TARGETING_KEY_MISSING", "context.targetingKey is required.");
  if (typeof targetingKey !== "string" || targetingKey.length > DISTINCT_ID_LIMIT)
    throw new Refusal(
      400,
      "INVALID_CONTEXT",
      `context.targetingKey must be a string of at most ${DISTINCT_ID_LIMIT} characters.`,
    );
  return {
    distinct_id: targetingKey,
    groups: groupKeys(isObject(groups) ? groups : undefined) ?? {},
    group_properties: groupProperties(isObject(ofGroups) ? ofGroups : undefined) ?? {},
    person_properties: properties,
    now,
  };
}

async function readJson(request: Request): Promise<unknown> {
  return parseBoundedJson(await readBytes(request, LIMIT), CALL_VALUES);
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** The protocol's reason: whether rules, chance or neither decided. */
function reasonOf(evaluation: Evaluation, flag: Flag | undefined): string {
  const { reason, condition_index } = evaluation;
  if (reason === "disabled") return "DISABLED";
  if (reason === "super_condition_value" || reason === "pinned") return "TARGETING_MATCH";
  if (reason === "holdout_condition_value" || reason === "out_of_rollout_bound") return "SPLIT";
  if (reason !== "condition_match") return "DEFAULT";
  const filters = flag?.filters ?? {};
  const condition = listOf(filters.groups)[condition_index ?? 0];
  if (!isObject(condition)) return "STATIC";
  if (listOf(condition.properties).length > 0) return "TARGETING_MATCH";
  const share = condition.rollout_percentage;
  const isDealt = evaluation.variant !== null && !condition.variant;
  return isDealt || (typeof share === "number" && share < 100) ? "SPLIT" : "STATIC";
}

const UNDECIDED = "The flag depends on stored data, and the database is unavailable.";

function resolutionOf(evaluation: Evaluation, flag: Flag | undefined, staleSince: string | undefined) {
  const { key, value, variant, id, version, payload } = evaluation;
  const text = payloadText(payload);
  return {
    key,
    value,
    reason: reasonOf(evaluation, flag),
    ...(variant !== null && { variant }),
    metadata: {
      flagId: id,
      version,
      ...(text !== null && { payload: text }),
      ...(staleSince !== undefined && { staleSince }),
    },
  };
}

type Asking = { askOrigin?: AskOrigin | undefined };

/** Evaluates one flag, or all that the caller's runtime gets to see; or has somebody else answer. */
async function evaluate(
  mounting: SdkMounting,
  request: Request,
  keys: string[] | null,
  { askOrigin }: Asking,
) {
  const { runtime } = mounting;
  const now = Date.now();
  const project: ProjectRow = await projectOf(mounting, credentialOf(request.headers), now);
  const body = await readJson(request);
  const call = callOf(body, now);
  const snapshot = await runtime.definitions.latest(project.id);
  const filter = { keys, contexts: null, runtime: guessRuntime(request.headers), surveys_only: false };
  const selection = selectFor(snapshot, filter);
  if (askOrigin && !readsNothing(selection, call)) {
    const answered = await askOrigin(request, body);
    if (answered) return answered;
  }
  runtime.instances.evaluated(project.id, request.headers.get("user-agent"), request.url);
  const evaluations = await evaluateOrLeaveUndecided(runtime, project.id, snapshot, selection, call);
  const staleSince = runtime.availability.away_since?.toISOString();
  const flags = evaluations.map((evaluation) =>
    isUndecided(evaluation)
      ? { key: evaluation.key, errorCode: "GENERAL" as const, errorDetails: UNDECIDED }
      : resolutionOf(
          evaluation,
          evaluation.id === null ? undefined : snapshot.flags.byId.get(evaluation.id),
          staleSince,
        ),
  );
  return { flags, snapshot };
}

/** `POST /ofrep/v1/evaluate/flags/{key}`; some providers do not encode the key. */
export const ofrepFlagHandler =
  (mounting: SdkMounting, prefix: string, options: Asking) => async (request: Request) => {
    const raw = new URL(request.url).pathname.slice(prefix.length).replace(/\/$/, "");
    let key = raw;
    try {
      key = decodeURIComponent(raw);
    } catch {
      // Not encoded, then: the key is the text itself.
    }
    try {
      if (key === "") throw new Refusal(404, "FLAG_NOT_FOUND", "The path names no flag.");
      const evaluated = await evaluate(mounting, request, [key], options);
      if (evaluated instanceof Response) return evaluated;
      const [found] = evaluated.flags;
      if (!found) throw new Refusal(404, "FLAG_NOT_FOUND", `There is no flag ${key}.`);
      if ("errorCode" in found) return answer(503, found, { "retry-after": "1" });
      return answer(200, found);
    } catch (error) {
      return refusalOf(error, key);
    }
  };

/** Clients whose page nobody looks at close their stream after so long. */
const INACTIVITY_SECONDS = 120;

/**
 * The stream that says when to evaluate again. Its address has the token, as browsers can send it nowhere else, and what
 * the answer was computed from, so that a change before the stream is open is not missed.
 */
const streamOf = (token: string, content: string) => ({
  type: "sse",
  endpoint: { requestUri: `/flags/stream/?${new URLSearchParams({ token, last_event_id: content })}` },
  inactivityDelaySec: INACTIVITY_SECONDS,
});

/** An event of a process on another machine may be ahead of this one, though not by much. */
const BEHIND_MS = 1_000;

/** Waits until this process serves what an event was about, if the request says that one led to it. */
async function serveAsOf(mounting: SdkMounting, request: Request): Promise<void> {
  const etag = new URL(request.url).searchParams.get("flagConfigEtag");
  const { runtime } = mounting;
  const project = etag && (await runtime.directory.current()).byToken.get(credentialOf(request.headers));
  if (project) await runtime.streams.served(project.id, etag.replaceAll('"', ""), BEHIND_MS);
}

/** `POST /ofrep/v1/evaluate/flags`; the tag follows the values, thus the context and the definitions. */
export const ofrepBulkHandler = (mounting: SdkMounting, options: Asking) => async (request: Request) => {
  try {
    await serveAsOf(mounting, request);
    const evaluated = await evaluate(mounting, request, null, options);
    if (evaluated instanceof Response) return evaluated;
    const { flags, snapshot } = evaluated;
    const etag = `"${createHash("sha1").update(JSON.stringify(flags)).digest("base64url")}"`;
    if (computeNamesETag(request.headers.get("if-none-match"), etag))
      return new Response(null, { status: 304, headers: { ...OPEN, etag } });
    const eventStreams = [streamOf(credentialOf(request.headers), snapshot.content())];
    return answer(200, { flags, eventStreams }, { etag });
  } catch (error) {
    return refusalOf(error, null);
  }
};

const CONFIGURATION = {
  name: "Switchyard",
  capabilities: {
    cacheInvalidation: { polling: { enabled: true, minPollingIntervalMs: 30_000 } },
    flagEvaluation: { supportedTypes: ["boolean", "string"] },
  },
};

/** `GET /ofrep/v1/configuration`: what a provider may expect. */
export const ofrepConfigurationHandler = (mounting: SdkMounting) => async (request: Request) => {
  try {
    await projectOf(mounting, credentialOf(request.headers), Date.now());
    const etag = '"1"';
    if (computeNamesETag(request.headers.get("if-none-match"), etag))
      return new Response(null, { status: 304, headers: { ...OPEN, etag } });
    return answer(200, CONFIGURATION, { etag });
  } catch (error) {
    return refusalOf(error, null);
  }
};
