import { expect } from "vitest";
import { compileFlags } from "#lib/engines/evaluation/compile.ts";
import { evaluateFlag } from "#lib/engines/evaluation/evaluate.ts";
import { hashDigits, hashValue, VARIANT_SALT } from "#lib/engines/evaluation/hash/hash.ts";
import { matchProperty } from "#lib/engines/evaluation/match-property.ts";
import type {
  CohortDefinition,
  CohortTree,
  FlagDefinition,
  Property,
} from "#lib/engines/evaluation/values/types.ts";
import type { OracleCase, OracleFile } from "./files.ts";

interface HashCase {
  flag_key: string;
  distinct_id: string;
  hash15: string;
  value: number;
  variant_hash15: string;
  variant_value: number;
  rollout_percentage: number | null;
  in_rollout: boolean;
  variants: { key: string; rollout_percentage: number }[];
  variant_if_in: string | null;
  result: boolean | string;
}

/** Hash bits, rollout and variant, all exact. */
export function gradeHash(given: OracleCase): void {
  const c = given as unknown as HashCase;
  expect(hashDigits(`${c.flag_key}.${c.distinct_id}`)).toBe(c.hash15);
  expect(hashDigits(`${c.flag_key}.${c.distinct_id}${VARIANT_SALT}`)).toBe(c.variant_hash15);
  expect(hashValue(c.flag_key, c.distinct_id)).toBe(c.value);
  expect(hashValue(c.flag_key, c.distinct_id, VARIANT_SALT)).toBe(c.variant_value);
  expect(flagValue(c, c.rollout_percentage, [])).toBe(c.in_rollout);
  expect(flagValue(c, 100, c.variants)).toBe(c.variant_if_in ?? true);
  expect(flagValue(c, c.rollout_percentage, c.variants)).toBe(c.result);
}

function flagValue(c: HashCase, rollout_percentage: number | null, variants: HashCase["variants"]) {
  const filters = { groups: [{ properties: [], rollout_percentage }], multivariate: { variants } };
  const compiled = compileFlags({ flags: [{ key: c.flag_key, active: true, filters }] });
  return evaluateFlag(compiled, c.flag_key, { distinct_id: c.distinct_id, now: 0 })?.value;
}

interface EvalCase {
  filter: Property;
  properties: Record<string, unknown>;
  cohorts?: Record<string, CohortTree>;
  expected: string;
  sdks_agree: boolean;
}

/** One row or cohort. Where the SDKs differ the choice is ours, and must only be made without throwing. */
export function gradeEval(given: OracleCase, file: OracleFile): void {
  const c = given as unknown as EvalCase;
  const answer = matchProperty(c.filter, c.properties, {
    mode: "partial",
    now: nowOf(file),
    cohorts: cohortList(c.cohorts ?? {}),
  });
  if (!c.sdks_agree) expect(["match", "no_match", "inconclusive", "server"]).toContain(answer);
  // Where an SDK raises, the engine returns no result, without throwing.
  else if (c.expected === "error") expect(["inconclusive", "server", "no_match"]).toContain(answer);
  else expect(answer).toBe(c.expected);
}

interface FlagEvalCase {
  flags: FlagDefinition[];
  flag_key: string;
  distinct_id: string;
  person_properties: Record<string, unknown>;
  cohorts?: Record<string, CohortTree>;
  groups?: Record<string, string>;
  group_properties?: Record<string, Record<string, unknown>>;
  group_type_mapping?: Record<string, string>;
  expected: boolean | string;
  node_sdk: boolean | string;
  sdks_agree: boolean;
}

/** A whole flag with those it depends on. */
export function gradeFlagEval(given: OracleCase, file: OracleFile): void {
  const c = given as unknown as FlagEvalCase;
  const compiled = compileFlags({
    flags: c.flags,
    cohorts: cohortList(c.cohorts ?? {}),
    group_type_mapping: c.group_type_mapping ?? {},
    mode: "partial",
  });
  const outcome = evaluateFlag(compiled, c.flag_key, {
    distinct_id: c.distinct_id,
    person_properties: c.person_properties,
    groups: c.groups ?? {},
    group_properties: c.group_properties ?? {},
    now: nowOf(file),
  });
  const undecided = outcome?.reason === "inconclusive" || outcome?.reason === "requires_server";
  const value = undecided ? "$inconclusive" : outcome?.value;
  if (c.sdks_agree) expect(value).toBe(c.expected);
  else expect(value).toBeDefined();
}

function nowOf(file: OracleFile): number {
  const now = Date.parse(String(file.header.now));
  if (Number.isNaN(now)) throw new Error(`${file.name} does not say what "now" is`);
  return now;
}

function cohortList(cohorts: Record<string, CohortTree>): CohortDefinition[] {
  return Object.entries(cohorts).map(([id, properties]) => ({ id: Number(id), properties }));
}
