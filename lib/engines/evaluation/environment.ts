import type { GroupTypeMapping, Mode, Property } from "#lib/engines/evaluation/values/types.ts";
import type { PropertyRow, Row } from "./match.ts";
import type { NeedsBuilder } from "./needs.ts";

/** What a row needs to know of its surroundings to be compiled. */
export interface RowEnvironment {
  readonly mode: Mode;
  readonly group_types: GroupTypeMapping;
  /** The group type whose properties the condition reads; null for the person's. */
  readonly group_type: string | null;
  readonly in_cohort: boolean;
  readonly cohorts: CohortLibrary;
  /** Place of a flag by what a row calls it (its id as text, or its key); -1 when there is none. */
  readonly flagIndex: (name: string) => number;
  /** Person rows met so far, by their JSON: flags repeat each other's rows, which then share one verdict. */
  readonly known_rows: Map<string, PropertyRow>;
  readonly needs: NeedsBuilder;
  /** Requested flags, by index; -1 for a missing one. */
  readonly flags: Set<number>;
}

/** The cohorts of a compiled set: each is compiled when the first row asks for it. */
export interface CohortLibrary {
  /**
   * The row that asks for membership of a cohort.
   * @param id as written in the row; a number or its text
   */
  row(id: unknown, negated: boolean, property: Property, asking: RowEnvironment): Row;
  count(): number;
}
