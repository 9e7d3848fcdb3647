import fc from "fast-check";
import { expect } from "vitest";

type List<Query extends object> = {
  read(given: Record<string, string | string[]>): Query;
  address(projectId: string, query: Query): string;
};

/** The parameters of an address, as pages are given them. */
export function paramsOf(address: string): Record<string, string | string[]> {
  const { searchParams } = new URL(address, "http://switchyard.test");
  const names = [...new Set(searchParams.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const values = searchParams.getAll(name);
      return [name, values.length > 1 ? values : (values[0] ?? "")];
    }),
  );
}

/** What somebody may search for or have named something. */
export const anyText = fc.string({ unit: "grapheme" });
export const anyName = fc.string({ unit: "grapheme", minLength: 1 });
export const anyOffset = fc.nat(1_000_000);

/** One of the values that a filter or the order offers. */
export const optionOf = <V extends string>({ options }: { options: readonly { value: V }[] }) =>
  fc.constantFrom(...options.map(({ value }) => value));

/** Every state of a list is in its URL: what its address says reads as the same state. */
export function expectRoundTrip<Query extends object>(
  list: List<Query>,
  states: { [Name in keyof Query]: fc.Arbitrary<Query[Name]> },
): void {
  const state = fc.record(states) as fc.Arbitrary<Query>;
  fc.assert(
    fc.property(state, (query) => {
      expect(list.read(paramsOf(list.address("7", query)))).toEqual(query);
    }),
  );
}
