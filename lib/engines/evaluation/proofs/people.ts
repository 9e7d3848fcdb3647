import type { CompiledCondition, CompiledFlag, CompiledFlags } from "#lib/engines/evaluation/compiled.ts";
import { EVERYONE } from "#lib/engines/evaluation/compiled.ts";
import { EvaluationContext, elsewhere, sourceOf } from "#lib/engines/evaluation/evaluate.ts";
import { type HashId, hashId, hashOf } from "#lib/engines/evaluation/hash/hash.ts";
import { matchRow } from "#lib/engines/evaluation/match.ts";
import type { Evaluation, Properties, Subject } from "#lib/engines/evaluation/values/types.ts";
import { YES } from "#lib/engines/evaluation/values/verdict.ts";
import { fittingValues } from "./candidates.ts";
import { groupOf, type Need, RowNeeds, type Ways } from "./needs-of-rows.ts";

/** How many ids are tried to find one that a rollout lets in. */
export const MOST_IDS = 10_000;

/** How many different people are made up to get into one set. */
const MOST_PEOPLE = 120;
/** How many ids of one of them are evaluated. */
const MOST_EVALUATIONS = 1_000;
/** Work for all sets together, counted in sets evaluated: hundreds of them must not occupy a process for long. */
const MOST_WORK = 400_000;

/** A made-up person, as the evaluator took them. */
export interface Witness {
  readonly distinct_id: string;
  readonly person_properties: Properties;
  readonly groups: Readonly<Record<string, string>>;
  readonly group_properties: Readonly<Record<string, Properties>>;
  /** What they get. */
  readonly value: boolean | string;
  /** The set that decides, counting from 0; null when none does. */
  readonly decided_by: number | null;
  /** Place of the row of the set that they do not satisfy, where that is what they show. */
  readonly failing_row: number | null;
  /** What they get from the flags that this one depends on. */
  readonly flags: Readonly<Record<string, boolean | string>>;
}

/** Someone with properties, but not with an id yet. */
interface Draft {
  readonly ids: readonly string[] | null;
  readonly properties: Properties;
  /** By group type. */
  readonly groups: ReadonlyMap<
    string,
    { readonly ids: readonly string[] | null; readonly properties: Properties }
  >;
}

/** An evaluation of somebody who is tried out. */
export interface Trial {
  readonly outcome: Evaluation;
  /** The set that decided; null when none did. */
  readonly decided_by: number | null;
  /** Whether a row of the set passes. */
  readonly passes: (row: number) => boolean;
}

/** Makes up people for one flag. Nobody is returned whom the evaluator has not taken as asked. */
export class People {
  readonly #compiled: CompiledFlags;
  readonly #flag: CompiledFlag;
  readonly #now: number;
  readonly #needs: RowNeeds;
  /** Ids by what they are called after, with the hash that the flag's rollouts go by. */
  readonly #ids = new Map<string, { id: string; hash: number }[]>();
  #work = MOST_WORK;

  constructor(compiled: CompiledFlags, flag: CompiledFlag, now: number) {
    this.#compiled = compiled;
    this.#flag = flag;
    this.#now = now;
    this.#needs = new RowNeeds(compiled);
  }

  /** Someone who gets in through exactly this set. Null: none was found. */
  who(condition: CompiledCondition): Witness | null {
    const queue = [...this.#needs.all(condition.rows, groupOf(this.#flag, condition))];
    for (let i = 0; i < Math.min(queue.length, MOST_PEOPLE); i++) {
      const needs = queue[i] as readonly Need[];
      const draft = this.#draft(needs);
      if (!draft) continue;
      const earlier = this.#earlier(draft, condition);
      const blocked = earlier.find(({ threshold }) => this.#flag.early_exit || threshold === EVERYONE);
      const about = groupOf(this.#flag, condition);
      const hashed = earlier.filter((each) => groupOf(this.#flag, each) === about);
      const over = Math.max(-1, ...hashed.map(({ threshold }) => threshold));
      const isIn = ({ decided_by, outcome }: Trial) =>
        decided_by === condition.index && outcome.reason === "condition_match";
      const found = blocked ? null : this.#withId(draft, condition, over, isIn);
      if (found) return found;
      // Decided before: the same, but for one row of the set that decided.
      for (const before of blocked ? [blocked] : earlier)
        for (const row of before.rows)
          for (const way of this.#needs.of(row, false, groupOf(this.#flag, before)))
            queue.push([...needs, ...way]);
    }
    return null;
  }

  /**
   * Someone who satisfies all rows of a set, or all but one, and is taken as the caller asks.
   * @param without place of the row that need not pass
   */
  like(condition: CompiledCondition, accepts: (trial: Trial) => boolean, without = -1): Witness | null {
    const rows = condition.rows.filter((_, i) => i !== without);
    const ways: Ways = this.#needs.all(rows, groupOf(this.#flag, condition));
    for (const needs of ways) {
      const draft = this.#draft(needs);
      const taken = (trial: Trial) =>
        condition.rows.every((_, i) => trial.passes(i) === (i !== without)) && accepts(trial);
      const found = draft && this.#withId(draft, condition, -1, taken);
      if (found) return { ...found, failing_row: without === -1 ? null : without };
    }
    return null;
  }

  #draft(needs: readonly Need[]): Draft | null {
    const own = this.#look(needs, null, "distinct_id");
    if (!own) return null;
    const types = new Set(needs.flatMap(({ group_type }) => group_type ?? []));
    const groups = new Map<string, { ids: readonly string[] | null; properties: Properties }>();
    for (const type of types) {
      const look = this.#look(needs, type, "$group_key");
      if (!look) return null;
      groups.set(type, look);
    }
    return { ...own, groups };
  }

  /** Properties that do as all needs want; the property that stands for the id chooses ids instead. */
  #look(needs: readonly Need[], group: string | null, idProperty: string) {
    const about = Map.groupBy(
      needs.filter(({ group_type }) => group_type === group),
      ({ key }) => key,
    );
    let ids: string[] | null = null;
    const properties: [string, unknown][] = [];
    for (const [key, wanted] of about) {
      const values = fittingValues(wanted, this.#now);
      if (key === idProperty) {
        ids = values.filter((value): value is string => typeof value === "string" && value !== "");
        if (ids.length === 0) return null;
      } else if (values.length === 0) return null;
      else if (values[0] !== undefined) properties.push([key, values[0]]);
    }
    return { ids, properties: Object.fromEntries(properties) };
  }

  /** The sets before it whose rows this person satisfies. */
  #earlier(draft: Draft, condition: CompiledCondition): CompiledCondition[] {
    const flag = this.#flag;
    const id = this.#idsFor(draft, condition).next().value?.id ?? "";
    const context = new EvaluationContext(this.#compiled, this.#subject(draft, condition, id));
    this.#work -= condition.index;
    return flag.conditions.slice(0, condition.index).filter((earlier) => {
      const source = earlier.shares_source ? sourceOf(flag, context) : elsewhere(earlier, context);
      return source !== null && earlier.rows.every((row) => matchRow(row, context, source) === YES);
    });
  }

  #withId(
    draft: Draft,
    condition: CompiledCondition,
    over: number,
    accepts: (trial: Trial) => boolean,
  ): Witness | null {
    const { threshold } = condition;
    let evaluations = 0;
    for (const { id, hash } of this.#idsFor(draft, condition)) {
      // Someone the rollout leaves out is no example, except of a rollout that leaves everybody out.
      if (hash <= over || (threshold >= 0 && hash > threshold)) continue;
      evaluations += 1;
      this.#work -= this.#flag.conditions.length;
      if (evaluations > MOST_EVALUATIONS || this.#work < 0) return null;
      const found = this.#evaluate(this.#subject(draft, condition, id), condition, accepts);
      if (found) return found;
    }
    return null;
  }

  #evaluate(
    subject: Subject,
    condition: CompiledCondition,
    accepts: (trial: Trial) => boolean,
  ): Witness | null {
    const flag = this.#flag;
    const context = new EvaluationContext(this.#compiled, subject);
    const outcome = context.dependency(flag.index);
    const source = condition.shares_source ? sourceOf(flag, context) : elsewhere(condition, context);
    if (source === null) return null;
    const decides =
      outcome.reason === "condition_match" || (flag.early_exit && outcome.reason === "out_of_rollout_bound");
    const decided_by = decides ? outcome.condition_index : null;
    const passes = (row: number) => {
      const compiled = condition.rows[row];
      return compiled !== undefined && matchRow(compiled, context, source) === YES;
    };
    if (!accepts({ outcome, decided_by, passes })) return null;
    return {
      distinct_id: subject.distinct_id,
      person_properties: subject.person_properties ?? {},
      groups: subject.groups ?? {},
      group_properties: subject.group_properties ?? {},
      value: outcome.value,
      decided_by,
      failing_row: null,
      flags: Object.fromEntries(
        flag.dependencies.map((index) => {
          const { key, value } = context.dependency(index);
          return [key, value];
        }),
      ),
    };
  }

  #subject(draft: Draft, condition: CompiledCondition, id: string): Subject {
    const about = groupOf(this.#flag, condition);
    const types = new Set(draft.groups.keys());
    for (const type of [about, this.#flag.group_type]) if (type !== null) types.add(type);
    const keyOf = (type: string) => draft.groups.get(type)?.ids?.[0] ?? `${type}-1`;
    return {
      distinct_id: about === null ? id : (draft.ids?.[0] ?? "person-1"),
      person_properties: draft.properties,
      groups: Object.fromEntries([...types].map((type) => [type, type === about ? id : keyOf(type)])),
      group_properties: Object.fromEntries(
        [...types].map((type) => [type, draft.groups.get(type)?.properties ?? {}]),
      ),
      now: this.#now,
    };
  }

  /** Ids to try for whoever the set is about: the same ones every time. */
  *#idsFor(draft: Draft, condition: CompiledCondition): Generator<{ id: string; hash: number }> {
    const about = groupOf(this.#flag, condition);
    const given = about === null ? draft.ids : draft.groups.get(about)?.ids;
    if (given) {
      for (const id of given) yield { id, hash: this.#hash(hashId(id)) };
      return;
    }
    const label = about ?? "person";
    const known = this.#ids.get(label) ?? [];
    this.#ids.set(label, known);
    for (let i = 0; i < MOST_IDS; i++) {
      const id = `${label}-${i + 1}`;
      known[i] ??= { id, hash: this.#hash(hashId(id)) };
      yield known[i] as { id: string; hash: number };
    }
  }

  #hash(id: HashId): number {
    return hashOf(this.#flag.prefix, id, false);
  }
}
