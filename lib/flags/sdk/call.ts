import type { Properties } from "#lib/engines/evaluation/values/types.ts";
import { isObject, type Json } from "#lib/engines/json.ts";
import type { EvaluationCall } from "#lib/flags/feature_flags/evaluation/evaluation.ts";
import { isDeeperThan } from "#lib/people/events/text.ts";
import { authenticationFailed, invalid, unreadable } from "#lib/platform/http/errors.ts";
import { type EvaluationRuntime, guessRuntime } from "./runtimes.ts";

/** A request for flags, read. */
export type FlagsCall = EvaluationCall & {
  /** Answer without any flag. */
  disabled: boolean;
  /** Only flags with one of these evaluation tags, or without tags; null: whatever their tags. */
  contexts: readonly string[] | null;
  /** null: flags of every runtime. */
  runtime: EvaluationRuntime | null;
  /** Only these flags; null: all. */
  keys: readonly string[] | null;
  surveys_only: boolean;
};

/** Passes a call with its parsed body on to the service that this one relays; null if that does not answer. */
export type AskOrigin = (request: Request, body: unknown) => Promise<Response | null>;

const DEPTH_LIMIT = 64;
/** The longest string a flag can compare: each condition reads it in full. */
export const TEXT_LIMIT = 128 * 1024;

/** An object, or nothing; anything else is refused. */
function objectAt(body: Json, name: string): Json | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) throw invalid(`${name} must be an object.`, name);
  return value;
}

function textsAt(body: Json, name: string): string[] | null {
  const value = body[name];
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value) || !value.every((entry) => typeof entry === "string"))
    throw invalid(`${name} must be a list of strings.`, name);
  return value;
}

/** Group keys are texts; numbers are taken as their text, anything else as no group. */
export function groupKeys(groups: Json | undefined): Record<string, string> | undefined {
  if (!groups) return undefined;
  const entries = Object.entries(groups).filter(
    ([, key]) => typeof key === "string" || typeof key === "number",
  );
  return Object.fromEntries(entries.map(([type, key]) => [type, String(key)]));
}

export function groupProperties(given: Json | undefined): Record<string, Properties> | undefined {
  if (!given) return undefined;
  return Object.fromEntries(Object.entries(given).filter((e): e is [string, Json] => isObject(e[1])));
}

/** Whether parsed JSON of bounded depth holds a text above `TEXT_LIMIT`. */
export function holdsLongText(value: unknown): boolean {
  if (typeof value === "string") return value.length > TEXT_LIMIT;
  return typeof value === "object" && value !== null && Object.values(value).some(holdsLongText);
}

/** The body of a call as an object whose nesting is bounded. */
export function objectOf(body: unknown): Json {
  if (!isObject(body)) throw unreadable("The body must be a JSON object.");
  if (isDeeperThan(body, DEPTH_LIMIT)) throw invalid(`The body is nested deeper than ${DEPTH_LIMIT} levels.`);
  if (holdsLongText(body)) throw invalid(`No string can be longer than ${TEXT_LIMIT} characters.`);
  return body;
}

/** The project token, from the body or the query. */
export function tokenOf(body: Json, query: URLSearchParams): string {
  const found = body.token ?? body.api_key ?? body.$token ?? query.get("token") ?? query.get("api_key");
  if (typeof found !== "string" || found === "")
    throw authenticationFailed("The project token is missing: send it as token or api_key.");
  return found;
}

function distinctIdOf(body: Json): string {
  const given = body.distinct_id ?? body.$distinct_id;
  if (typeof given === "number") return String(given);
  if (given === undefined || given === null || given === "")
    throw invalid("distinct_id is required.", "distinct_id", "required");
  if (typeof given !== "string") throw invalid("distinct_id must be a string.", "distinct_id");
  return given;
}

function runtimeOf(body: Json, headers: Headers): EvaluationRuntime | null {
  const given = body.evaluation_runtime;
  if (given === "server" || given === "client") return given;
  return given === "all" ? null : guessRuntime(headers);
}

const isTrue = (value: unknown) => value === true || value === "true" || value === "1" || value === 1;

/** @throws ApiError 400 naming the field that is wrong */
export function parseFlagsCall(body: Json, query: URLSearchParams, headers: Headers, now: number): FlagsCall {
  const anonymous = body.$anon_distinct_id;
  return {
    distinct_id: distinctIdOf(body),
    groups: groupKeys(objectAt(body, "groups") ?? objectAt(body, "$groups")) ?? {},
    person_properties: objectAt(body, "person_properties") ?? {},
    group_properties: groupProperties(objectAt(body, "group_properties")) ?? {},
    anon_distinct_id: typeof anonymous === "string" && anonymous !== "" ? anonymous : null,
    keys: textsAt(body, "flag_keys_to_evaluate") ?? textsAt(body, "flag_keys"),
    disabled: isTrue(body.disable_flags),
    contexts: textsAt(body, "evaluation_contexts") ?? textsAt(body, "evaluation_environments"),
    runtime: runtimeOf(body, headers),
    surveys_only:
      isTrue(query.get("only_evaluate_survey_feature_flags")) ||
      isTrue(body.only_evaluate_survey_feature_flags),
    now,
  };
}
