import { expect, it } from "vitest";
import { checkFilters } from "#lib/engines/evaluation/values/checks.ts";
import type { FlagFilters } from "#lib/engines/evaluation/values/types.ts";
import { demoFlags } from "./flags.ts";

const NOW = Date.parse("2026-11-22T12:00:00Z");

it("the demo has flags that need care: nobody evaluates them, or a condition set is never reached", () => {
  const flags = demoFlags(NOW);
  const warned = flags.filter(({ active, filters }) =>
    checkFilters(filters as FlagFilters, { now: NOW }).some(({ code }) => active && code === "shadowed"),
  );
  expect(warned.map(({ key }) => key)).toEqual(["profile-bulk-actions"]);
  expect(flags.filter(({ active, popularity }) => active && popularity === 0).length).toBeGreaterThan(10);
});
