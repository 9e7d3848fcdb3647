import fc from "fast-check";
import { expect, it } from "vitest";
import { compileFlags } from "#lib/engines/evaluation/compile.ts";
import type { CompiledFlags } from "#lib/engines/evaluation/compiled.ts";
import { evaluateFlag } from "#lib/engines/evaluation/evaluate.ts";
import { explainFlag, type FlagExplanation } from "#lib/engines/evaluation/explain.ts";
import { clausesOf, findContradictions, implies } from "#lib/engines/evaluation/values/contradictions.ts";
import { compileComparison, PROPERTY_OPERATORS } from "#lib/engines/evaluation/values/operators.ts";
import type {
  CohortDefinition,
  FlagDefinition,
  FlagFilters,
  Property,
  Subject,
} from "#lib/engines/evaluation/values/types.ts";
import { YES } from "#lib/engines/evaluation/values/verdict.ts";
import "#testing/generated-input.ts";
import { type Proof, prove } from "./prove.ts";
import { findSameFlags } from "./same-flags.ts";

/** What is claimed of random filters is held against random people: one who contradicts a claim is a mistake. */

const now = Date.parse("2026-03-31T10:30:00Z");
const group_type_mapping = { "0": "company" };

function row(operator: string, value: unknown, key: string): Property {
  return { key, type: "person", operator, value };
}

/** As many random people as are asked for: `npm run nightly` asks for a million. */
const PEOPLE = Number(process.env.PROOF_PEOPLE ?? 10_000);
const PEOPLE_PER_FLAG = 50;
const LONGEST_MS = Math.max(60_000, PEOPLE);

const KEYS = ["plan", "age", "since", "version"];
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  plan: ["pro", "Pro", "free", "p", "profree", "ro", "null", "^p", "(?i)PRO", "o$"],
  age: ["5", 5, "6", 7.5, "5.0", "1e3", "-1"],
  since: ["2026-01-31", "2026-01-31T10:00:00Z", "-30d", "-7d", "2026", "-1m"],
  version: ["1.2.3", "1.2.4", "1.3.0", "1.2.*", "v1.2", "0.0.0"],
};
const FAMILY: Readonly<Record<string, readonly string[]>> = {
  plan: PROPERTY_OPERATORS.filter((name) => /contains|with|exact$|is_not|is_set|regex/.test(name)),
  age: ["gt", "gte", "lt", "lte", "min", "max", "exact", "is_not", "icontains", "regex"],
  since: ["is_date_before", "is_date_after", "is_date_exact", "exact", "is_set", "is_not_set"],
  version: [...PROPERTY_OPERATORS.filter((name) => name.startsWith("semver")), "exact", "starts_with"],
};

const rowOf = (key: string) =>
  fc
    .record({
      operator: fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom(...(FAMILY[key] ?? [])) },
        { weight: 1, arbitrary: fc.constantFrom(...PROPERTY_OPERATORS) },
      ),
      value: fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...(VALUES[key] ?? [])) },
        { weight: 1, arbitrary: fc.array(fc.constantFrom(...(VALUES[key] ?? [])), { maxLength: 3 }) },
        { weight: 1, arbitrary: fc.constantFrom(...KEYS.flatMap((each) => VALUES[each] ?? [])) },
      ),
    })
    .map((made): Property => ({ key, type: "person", ...made }));

/** Values near those in rows: themselves, in another case, as a number, with more around them, later or earlier. */
function nearby(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(nearby);
  const text = String(value);
  const number = Number(text);
  const time = Date.parse(text);
  return [
    value,
    text,
    text.toUpperCase(),
    text.toLowerCase(),
    ...[`${text}x`, `x${text}`, `${text}.1`],
    ...(Number.isNaN(number) ? [] : [number, number + 1, number - 1, number + 0.5]),
    ...(Number.isNaN(time) ? [] : [-1, 0, 1].map((days) => new Date(time + days * 86_400_000).toISOString())),
  ];
}

const MORE: readonly unknown[] = [
  ...[undefined, null, "", "other", true, 0, 2026, "1.2.5", "1.9.9", "2.0.0", "2026-03-20", "2026-03-01"],
  ...KEYS.flatMap((key) => VALUES[key] ?? []).flatMap(nearby),
];

it(
  "no claim about rows is contradicted by any value",
  () => {
    let claims = 0;
    const rows = fc
      .constantFrom(...KEYS)
      .chain((key) => fc.array(rowOf(key), { minLength: 2, maxLength: 5 }));
    fc.assert(
      fc.property(rows, (list) => {
        const clauses = clausesOf(list);
        const contradictions = findContradictions(clauses, now);
        const last = clauses.at(-1);
        const implied = last !== undefined && implies(clauses.slice(0, -1), last, now);
        if (contradictions.length === 0 && !implied) return;
        claims += 1;
        const tests = list.map(({ operator, value }) => compileComparison(operator ?? "", value, "complete"));
        for (const value of [...MORE, ...list.flatMap((each) => nearby(each.value))]) {
          const passed = tests.map(
            ({ test, absent }) => (value === undefined ? absent : test(value, now)) === YES,
          );
          if (contradictions.some((found) => found.rows.every((place) => passed[place])))
            throw new Error(
              `${JSON.stringify(value)} satisfies rows that were said to contradict each other.`,
            );
          if (implied && passed.slice(0, -1).every(Boolean) && !passed.at(-1))
            throw new Error(
              `${JSON.stringify(value)} satisfies all rows but the one they were said to imply.`,
            );
        }
      }),
      { numRuns: PEOPLE / 10 },
    );
    expect(claims).toBeGreaterThan(PEOPLE / 100);
  },
  LONGEST_MS,
);

const anyRow = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...KEYS).chain(rowOf) },
  {
    weight: 1,
    arbitrary: fc.record({
      key: fc.constant("id"),
      type: fc.constant("cohort"),
      value: fc.constantFrom(5, 6, 99),
      operator: fc.constantFrom("in", "not_in"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      key: fc.constantFrom("7", "8"),
      type: fc.constant("flag"),
      operator: fc.constant("flag_evaluates_to"),
      value: fc.constantFrom<unknown>(true, false, "a", "b", "z"),
    }),
  },
);
const anySet = fc.record({
  properties: fc.array(anyRow, { maxLength: 3 }),
  rollout_percentage: fc.constantFrom(null, 100, 100, 60, 30, 5, 0),
  variant: fc.constantFrom(null, null, "a", "b"),
  aggregation_group_type_index: fc.constantFrom(null, null, null, null, null, 0),
});
const OPPOSITES = [
  ["is_set", "is_not_set"],
  ["exact", "is_not"],
  ["icontains", "not_icontains"],
  ["gte", "lt"],
  ["semver_gte", "semver_lt"],
  ["is_date_after", "is_date_before"],
] as const;
/** Rows that nearly everyone satisfies one of: what asks for neither is covered by both together, or nearly. */
const anySplit = fc.constantFrom(...KEYS).chain((key) =>
  fc
    .record({
      pair: fc.constantFrom(...OPPOSITES),
      value: fc.constantFrom(...(VALUES[key] ?? [])),
      other: fc.option(fc.constantFrom(...(VALUES[key] ?? []))),
    })
    .map(({ pair, value, other }) => [row(pair[0], value, key), row(pair[1], other ?? value, key)] as const),
);
type Split = { first: Property; second: Property; at: number };

/** One of the sets in two parts, before the set itself. */
function withParts(groups: NonNullable<FlagFilters["groups"]>, { first, second, at }: Split) {
  const place = at % groups.length;
  const whole = groups[place];
  const parts = [first, second].map((more) => ({
    ...whole,
    properties: [...(whole?.properties ?? []), more],
  }));
  return [...groups.slice(0, place), ...parts, ...groups.slice(place)];
}

/** Sets that go back to earlier ones: with a row more, with another rollout, the same, or in two parts. */
const anyFilters = fc.record({
  groups: fc
    .tuple(
      fc.array(fc.record({ set: anySet, from: fc.option(fc.nat(3)), more: fc.option(anyRow) }), {
        minLength: 1,
        maxLength: 5,
      }),
      fc.option(fc.record({ split: anySplit, at: fc.nat(4) })),
    )
    .map(([made, parts]) => {
      const groups: FlagFilters["groups"] = made.map(({ set, from, more }) => {
        const base = from === null ? undefined : made[from]?.set;
        if (!base) return set;
        return {
          ...set,
          ...(from && { variant: base.variant }),
          properties: [...base.properties, ...(more ? [more] : [])],
        };
      });
      if (!parts) return groups;
      const [first, second] = parts.split;
      return withParts(groups, { first, second, at: parts.at });
    }),
  multivariate: fc.constantFrom(
    null,
    null,
    {
      variants: [
        { key: "a", rollout_percentage: 40 },
        { key: "b", rollout_percentage: 60 },
      ],
    },
    {
      variants: [
        { key: "a", rollout_percentage: 100 },
        { key: "b", rollout_percentage: 0 },
      ],
    },
  ),
  early_exit: fc.constantFrom(false, false, true),
  holdout: fc.constantFrom(null, null, null, { id: 3, exclusion_percentage: 20 }),
});

/** Random numbers from a seed, for people by the dozen: what fast-check would draw one by one takes too long. */
function randomFrom(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function* peopleFor(
  filters: FlagFilters,
  cohorts: readonly CohortDefinition[],
  seed: number,
): Generator<Subject> {
  const random = randomFrom(seed);
  const rows = [
    ...(filters.groups ?? []).flatMap(({ properties }) => properties ?? []),
    ...cohorts.flatMap(({ properties }) => (properties?.values ?? []) as Property[]),
  ];
  const pick = <T>(list: readonly T[]) => list[random(list.length)] as T;
  const pools = new Map(
    KEYS.map((key) => [key, rows.filter((each) => each.key === key).flatMap(({ value }) => nearby(value))]),
  );
  const properties = () =>
    Object.fromEntries(
      KEYS.flatMap((key) => {
        const pool = pools.get(key) ?? [];
        const value = pool.length > 0 && random(5) > 0 ? pick(pool) : pick(MORE);
        return value === undefined ? [] : [[key, value]];
      }),
    );
  for (let i = 0; i < PEOPLE_PER_FLAG; i++) {
    const inGroup = random(2) > 0;
    yield {
      distinct_id: `somebody-${seed}-${i}`,
      person_properties: properties(),
      ...(inGroup && { groups: { company: `c-${seed}-${i}` }, group_properties: { company: properties() } }),
      now,
    };
  }
}

/** What is said of a flag, and what it is held against. */
interface Case {
  readonly compiled: CompiledFlags;
  readonly proof: Proof;
  /** Flags that were said to have the same value. */
  readonly same: readonly string[];
  /** The flag without a set that was said to change nothing, one for each of them. */
  readonly without: readonly CompiledFlags[];
}

function caseOf(filters: FlagFilters, other: FlagFilters, cohorts: CohortDefinition[], seed: number): Case {
  const one: FlagDefinition = { id: 1, key: "f", active: true, filters };
  const second = {
    multivariate: other.multivariate ?? null,
    groups: [{ properties: [row("exact", "pro", "plan")] }],
  };
  const others: FlagDefinition[] = [
    { id: 7, key: "g", active: true, filters: second },
    { id: 8, key: "off", active: seed % 3 > 0, filters: { ...second, groups: [{ rollout_percentage: 50 }] } },
    { id: 9, key: "twin", active: true, filters: seed % 2 > 0 ? filters : other },
  ];
  const around = { cohorts, group_type_mapping };
  const proof = prove({ flags: [one, ...others], ...around }, "f", now);
  const compiled = compileFlags({ flags: [one, ...others], ...around });
  const flag = compiled.by_key.get("f");
  if (!proof || !flag) throw new Error("The flag was not compiled.");
  const redundant = proof.findings.filter(({ code }) => code === "redundant");
  const without = redundant.map(({ set }) => {
    const groups = (filters.groups ?? []).filter((_, i) => i !== set);
    return compileFlags({ flags: [{ ...one, filters: { ...filters, groups } }, ...others], ...around });
  });
  return { compiled, proof, same: findSameFlags(compiled, flag, now), without };
}

type Finding = Proof["findings"][number];

const passesOf = ({ sets }: FlagExplanation, set: number | null) =>
  set === null ? [] : (sets[set]?.rows ?? []).map(({ result }) => result === "pass");

const decides = ({ outcome }: FlagExplanation) =>
  outcome.reason === "condition_match" ? outcome.condition_index : null;

/** Whether an evaluation contradicts a finding. */
function contradicts({ code, set, row: place, message }: Finding, explained: FlagExplanation): boolean {
  const passes = passesOf(explained, set);
  // The rows of a set about a group are not looked at where there is none.
  const isLookedAt = passes.length > 0;
  switch (code) {
    case "never_matches":
      return isLookedAt && passes.every(Boolean);
    case "unknown_cohort":
    case "unknown_flag":
    case "impossible_value":
    case "invalid_value":
    case "invalid_regex":
      return isLookedAt && passes[place ?? 0] === true;
    case "shadowed":
    case "rollout_excludes_everyone":
      return set !== null && decides(explained) === set;
    case "unreachable_variant":
      return message.includes(`"${explained.outcome.value}"`);
    default:
      return false;
  }
}

function checkClaims({ compiled, proof, same, without }: Case, subject: Subject, count: Count) {
  const explained = explainFlag(compiled, "f", subject);
  if (!explained) throw new Error("The flag was not explained.");
  const { value } = explained.outcome;
  const by = decides(explained);
  const about = () => JSON.stringify(subject);
  if (by !== null) count("people who get in");
  if (by !== null && proof.sets[by]?.reachable === false)
    throw new Error(`${about()} gets in through set ${by}.`);
  const wrong = proof.findings.find((finding) => contradicts(finding, explained));
  if (wrong) throw new Error(`${about()} contradicts: ${JSON.stringify(wrong)}`);
  if (without.some((after) => evaluateFlag(after, "f", subject)?.value !== value))
    throw new Error(`${about()} gets something else without a redundant set.`);
  const other = same.find((key) => evaluateFlag(compiled, key, subject)?.value !== value);
  if (other) throw new Error(`${about()} does not get the same from flag ${other}.`);
}

function checkExamples({ compiled, proof }: Case, count: Count) {
  for (const [i, { reachable, witness }] of proof.sets.entries()) {
    count(`reachable: ${reachable}`);
    if (!witness) continue;
    const outcome = evaluateFlag(compiled, "f", { ...witness, now });
    const { value } = witness;
    expect(outcome).toMatchObject({ reason: "condition_match", condition_index: i, value });
  }
  for (const finding of proof.findings) {
    const { code, set, witness, message } = finding;
    count(code);
    if (/^Never reached: sets /.test(message)) count("shadowed by several");
    if (!witness) continue;
    count(`${code}, with an example`);
    const explained = explainFlag(compiled, "f", { ...witness, now });
    if (!explained) throw new Error("The flag was not explained.");
    expect(explained.outcome.value).toBe(witness.value);
    expect(contradicts(finding, explained), JSON.stringify(finding)).toBe(false);
    const failed = passesOf(explained, set).flatMap((passes, place) => (passes ? [] : [place]));
    expect(failed).toEqual(witness.failing_row === null ? [] : [witness.failing_row]);
    if (code === "shadowed") expect(explained.outcome.condition_index).toBeLessThan(set ?? 0);
  }
}

type Count = (what: string) => void;

it(
  "no claim about a flag is contradicted by a random person, and every example is one",
  () => {
    const counts = new Map<string, number>();
    const count: Count = (what) => counts.set(what, (counts.get(what) ?? 0) + 1);
    const cohortOf = (id: number) =>
      fc
        .array(fc.constantFrom(...KEYS).chain(rowOf), { minLength: 1, maxLength: 2 })
        .map((values): CohortDefinition => ({ id, properties: { type: "OR", values } }));
    fc.assert(
      fc.property(
        anyFilters,
        anyFilters,
        cohortOf(5),
        cohortOf(6),
        fc.nat(),
        (filters, other, five, six, seed) => {
          const made = caseOf(filters, other, [five, six], seed);
          checkExamples(made, count);
          if (made.same.length > 0) count("same_flag");
          for (const subject of peopleFor(filters, [five, six], seed)) {
            count("people");
            checkClaims(made, subject, count);
          }
        },
      ),
      { numRuns: PEOPLE / PEOPLE_PER_FLAG },
    );
    if (process.env.PROOF_PEOPLE) console.info(Object.fromEntries([...counts].toSorted()));
    for (const code of [
      "never_matches",
      "shadowed",
      "shadowed by several",
      "redundant",
      "unreachable_variant",
      "same_flag",
    ])
      expect(counts.get(code), code).toBeGreaterThan(0);
  },
  LONGEST_MS,
);
