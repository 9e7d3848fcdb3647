import { type CompiledFlag, type CompiledFlags, EVERYONE, NOBODY } from "#lib/engines/evaluation/compiled.ts";
import { type Clause, clausesOf, implies } from "#lib/engines/evaluation/values/contradictions.ts";
import { asIndex, asList, asRecord } from "#lib/engines/evaluation/values/json.ts";

/** What a set gives to everyone who satisfies its rows. */
interface Rule {
  readonly clauses: readonly Clause[];
  readonly aggregation: number | null;
  readonly value: boolean | string;
}

/**
 * The flags that have the same value as this one for everybody: the same sets, row by row, in the same order. Where a
 * hash decides nothing is claimed, because it depends on the flag's key; nor of flags that are the same for everyone,
 * which are many and mean nothing.
 */
export function findSameFlags(compiled: CompiledFlags, flag: CompiledFlag, now: number): string[] {
  const own = rulesOf(flag);
  if (!own) return [];
  const isSame = (other: CompiledFlag) => {
    if (other === flag || asIndexOf(other) !== asIndexOf(flag)) return false;
    if (other.conditions.length < own.length) return false;
    const rules = rulesOf(other);
    return rules?.length === own.length && own.every((rule, i) => isSameRule(rule, rules[i] as Rule, now));
  };
  return compiled.flags.filter(isSame).map(({ key }) => key);
}

const asIndexOf = ({ definition }: CompiledFlag) =>
  asIndex(asRecord(definition.filters)?.aggregation_group_type_index);

/** Null where it is not certain what everyone gets. */
function rulesOf(flag: CompiledFlag): Rule[] | null {
  if (flag.settled || flag.enrollment || flag.holdouts.length > 0) return null;
  const rules: Rule[] = [];
  for (const condition of flag.conditions) {
    const { threshold, override, index } = condition;
    if (threshold === NOBODY && !flag.early_exit) continue;
    const group = asRecord(asList(flag.definition.filters?.groups)[index]) ?? {};
    const rows = asList(group.properties);
    const clauses = clausesOf(rows);
    const variant = override === -1 ? flag.variants.certain : override;
    if (threshold !== EVERYONE || clauses.length < rows.length) return null;
    if (variant === -1 && flag.variants.keys.length > 0) return null;
    const aggregation = asIndex(group.aggregation_group_type_index) ?? asIndexOf(flag);
    rules.push({ clauses, aggregation, value: flag.variants.keys[variant] ?? true });
  }
  return rules.some(({ clauses }) => clauses.length > 0) ? rules : null;
}

function isSameRule(a: Rule, b: Rule, now: number): boolean {
  if (a.value !== b.value || a.aggregation !== b.aggregation) return false;
  return (
    a.clauses.every((row) => implies(b.clauses, row, now)) &&
    b.clauses.every((row) => implies(a.clauses, row, now))
  );
}
