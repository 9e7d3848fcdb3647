import { asRecord, own } from "#lib/engines/evaluation/values/json.ts";
import type { Evaluation, FlagDefinition, ReasonCode } from "#lib/engines/evaluation/values/types.ts";

/**
 * The outcomes one flag can have, each made once and frozen. A flag has few: one for every condition and
 * variant, and a handful of ways to be off; callers key caches by the object.
 */
export class OutcomeTable {
  readonly key: string;
  readonly id: number | null;
  readonly version: number | null;
  readonly #payloads: Readonly<Record<string, unknown>>;
  readonly #made = new Map<string, Evaluation>();

  constructor(flag: FlagDefinition) {
    this.key = flag.key;
    this.id = typeof flag.id === "number" ? flag.id : null;
    this.version = typeof flag.version === "number" ? flag.version : null;
    this.#payloads = asRecord(asRecord(flag.filters)?.payloads) ?? {};
  }

  /** The outcome with this value, reason and condition. */
  of(value: boolean | string, reason: ReasonCode, condition_index: number | null): Evaluation {
    const name = `${condition_index} ${reason} ${typeof value === "string" ? `=${value}` : value}`;
    const made = this.#made.get(name);
    if (made) return made;
    const outcome: Evaluation = Object.freeze({
      key: this.key,
      id: this.id,
      version: this.version,
      value,
      variant: typeof value === "string" ? value : null,
      reason,
      condition_index,
      payload: value === false ? null : (own(this.#payloads, String(value)) ?? null),
    });
    this.#made.set(name, outcome);
    return outcome;
  }

  /** Every outcome reached so far. */
  made(): Evaluation[] {
    return [...this.#made.values()];
  }
}

const tables = new WeakMap<FlagDefinition, OutcomeTable>();

/**
 * The outcomes of a definition, the same ones each time the same object is compiled: when one flag of a thousand
 * changes, what callers keep for the outcomes of the others stays good. Definitions are never changed in place.
 */
export function outcomesOf(flag: FlagDefinition): OutcomeTable {
  const known = tables.get(flag);
  if (known) return known;
  const made = new OutcomeTable(flag);
  tables.set(flag, made);
  return made;
}
