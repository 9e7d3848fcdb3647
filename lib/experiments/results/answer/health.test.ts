import { describe, expect, it } from "vitest";
import { MULTIPLE } from "#lib/engines/statistics/sample-ratio.ts";
import type { Phase } from "#lib/experiments/experiments/lifecycle/phases.ts";
import { listFindings } from "./health.ts";
import { checkSplit } from "./split.ts";

const DAY = 86_400_000;

const variantsOf = (shares: Record<string, number>): Phase["variants"] =>
  Object.entries(shares).map(([key, rollout_percentage]) => ({
    key,
    rollout_percentage,
  })) as Phase["variants"];

type Given = { shares: Record<string, number>; units?: Record<string, number> };

/** Phases of ten days, the last one of which lasts. */
const phasesOf = (given: Given[], lasts = true) =>
  given.map(({ shares }, i) => ({
    from: new Date(i * 10 * DAY),
    to: lasts && i === given.length - 1 ? null : new Date((i + 1) * 10 * DAY),
    variants: variantsOf(shares),
  }));

function split(given: Given[], { lasts = true, variants }: { lasts?: boolean; variants?: string[] } = {}) {
  const keys = variants ?? Object.keys(given.at(-1)?.shares ?? {});
  return checkSplit(
    { phases: phasesOf(given, lasts), plan: { variants: keys } } as unknown as Parameters<
      typeof checkSplit
    >[0],
    { phase_units: given.map(({ units }) => new Map(Object.entries(units ?? {}))) },
  );
}

type Asked = {
  phases?: Given[];
  units?: Record<string, number>;
  handling?: "exclude" | "first_seen";
  isRunning?: boolean;
  isFlagActive?: boolean;
  unit?: string;
};

const HALVES = { control: 50, test: 50 };

function findings({ phases, units, handling = "exclude", ...rest }: Asked) {
  const given = phases ?? [{ shares: HALVES, units }];
  const all = new Map<string, number>();
  for (const phase of given)
    for (const [key, count] of Object.entries(phase.units ?? {})) all.set(key, (all.get(key) ?? 0) + count);
  return listFindings({
    units: all,
    split: split(given),
    handling,
    isRunning: true,
    isFlagActive: true,
    unit: "person",
    ...rest,
  });
}

it.each([
  ["person", "50 exposed people"],
  ["company", "50 exposed companies"],
])("of experiments that compare a %s name it", (unit, words) => {
  expect(findings({ units: { control: 9, test: 9 }, unit })[0]?.what_to_do).toContain(words);
});

const codes = (asked: Asked) => findings(asked).map(({ code, severity }) => `${severity} ${code}`);

describe("findings", () => {
  it.each<{ name: string; asked: Asked; is: string[] }>([
    { name: "none with enough of each variant", asked: { units: { control: 50, test: 50 } }, is: [] },
    {
      name: "too few of one variant",
      asked: { units: { control: 50, test: 49 } },
      is: ["info too_few"],
    },
    { name: "nobody exposed", asked: { units: {} }, is: ["warning no_exposures"] },
    {
      name: "nobody exposed to an experiment that is over",
      asked: { units: {}, isRunning: false },
      is: ["info no_exposures"],
    },
    {
      name: "a variant that nobody got, where others have enough",
      asked: { units: { control: 50 } },
      is: ["error variant_without_exposures"],
    },
    {
      name: "too few, not a missing variant, with few units",
      asked: { units: { control: 49 } },
      is: ["info too_few"],
    },
    {
      name: "no missing variant where it has no share",
      asked: { phases: [{ shares: { control: 100, test: 0 }, units: { control: 60 } }] },
      is: [],
    },
    {
      name: "a missing variant that had a share before",
      asked: {
        phases: [
          { shares: { control: 90, test: 10 }, units: { control: 30 } },
          { shares: { control: 100, test: 0 }, units: { control: 30 } },
        ],
      },
      is: ["error variant_without_exposures", "warning changed_split"],
    },
    {
      name: "no missing variant where it was removed",
      asked: {
        phases: [
          { shares: { control: 50, test: 25, old: 25 }, units: { control: 80, test: 40 } },
          { shares: HALVES, units: { control: 60, test: 60 } },
        ],
      },
      is: ["warning changed_split"],
    },
    {
      name: "a flag that is off",
      asked: { units: { control: 50, test: 50 }, isFlagActive: false },
      is: ["warning flag_inactive"],
    },
    {
      name: "no flag that is off after the end",
      asked: { units: { control: 50, test: 50 }, isFlagActive: false, isRunning: false },
      is: [],
    },
    {
      name: "shares that variants did not get",
      asked: { units: { control: 600, test: 400 } },
      is: ["error sample_ratio_mismatch"],
    },
    {
      name: "units with several variants, from one in 200 on",
      asked: { units: { control: 995, test: 995, [MULTIPLE]: 10 } },
      is: ["warning multiple_variants"],
    },
    {
      name: "not fewer than one in 200",
      asked: { units: { control: 995, test: 996, [MULTIPLE]: 9 } },
      is: [],
    },
    {
      name: "many units with several variants, from one in 20 on",
      asked: { units: { control: 95, test: 95, [MULTIPLE]: 10 } },
      is: ["error multiple_variants"],
    },
    {
      name: "units with several variants where the first one counts",
      asked: { units: { control: 95, test: 95, [MULTIPLE]: 10 }, handling: "first_seen" },
      is: [],
    },
    {
      name: "several, the gravest first",
      asked: {
        units: { control: 600, test: 40, [MULTIPLE]: 4 },
        isFlagActive: false,
      },
      is: [
        "error sample_ratio_mismatch",
        "warning multiple_variants",
        "warning flag_inactive",
        "info too_few",
      ],
    },
  ])("are $name", ({ asked, is }) => {
    expect(codes(asked)).toEqual(is);
  });

  const titles = (asked: Asked) => findings(asked).map(({ title }) => title);

  it("name the variants", () => {
    const shares = { control: 40, a: 30, b: 30 };
    expect(titles({ phases: [{ shares, units: { control: 60 } }] })).toEqual(['Nobody got "a" or "b"']);
    expect(titles({ phases: [{ shares, units: { control: 20, a: 15, b: 12 } }] })).toEqual([
      'Too little data for "control", "a", "b"',
    ]);
    expect(titles({ units: { control: 50, test: 49 } })).toEqual(['Too little data for "test"']);
  });

  it("say how many got several variants, small shares more exactly", () => {
    expect(titles({ units: { control: 995, test: 995, [MULTIPLE]: 10 } })).toEqual([
      "10 of 2,000 people (0.50%) got several variants and are excluded",
    ]);
    expect(titles({ units: { control: 99, test: 99, [MULTIPLE]: 2 } })).toEqual([
      "2 of 200 people (1.0%) got several variants and are excluded",
    ]);
  });

  it("say how unlikely a split is", () => {
    expect(titles({ units: { control: 1_000, test: 100 } })).toEqual([
      "People were not split as configured (chance of this by accident: under one in a million)",
    ]);
    // Chi-square of 13.52 with one degree of freedom.
    expect(titles({ units: { control: 563, test: 447 } })[0]).toMatch(/by accident: 0\.000\d\d\)$/);
  });

  it("say when the split was changed last, from what to what, and how often", () => {
    const [first, second, third] = [
      { shares: HALVES, units: { control: 60, test: 60 } },
      { shares: { control: 66.5, test: 33.5 }, units: { control: 133, test: 67 } },
      { shares: { control: 80, test: 20 }, units: { control: 80, test: 20 } },
    ] as const;
    expect(titles({ phases: [first, second] })).toEqual([
      "The split was changed while running, on 1970-01-11: from control 50%, test 50% to control 66.5%, test 33.5%",
    ]);
    expect(titles({ phases: [first, second, third] })).toEqual([
      "The split was changed 2 times while running, last on 1970-01-21: from control 66.5%, test 33.5% to control 80%, test 20%",
    ]);
  });

  it("tell of a changed split besides one that variants did not get", () => {
    const phases = [
      { shares: HALVES, units: { control: 600, test: 300 } },
      { shares: { control: 80, test: 20 }, units: { control: 80, test: 20 } },
    ];
    expect(codes({ phases })).toEqual(["error sample_ratio_mismatch", "warning changed_split"]);
  });
});

describe("the phases of a split", () => {
  const shown = (found: ReturnType<typeof split>) =>
    found.phases.map(({ from, to, variants, exposures }) => ({
      from: from.getTime() / DAY,
      to: to && to.getTime() / DAY,
      test: variants.find(({ key }) => key === "test")?.rollout_percentage,
      exposures: Object.fromEntries(exposures),
    }));
  const other = { control: 80, test: 20 };

  it("are left out where nobody was exposed, so that a change that was undone leaves one", () => {
    expect(
      shown(
        split([
          { shares: HALVES, units: { control: 3, test: 4 } },
          { shares: other },
          { shares: HALVES, units: { control: 5, new: 1 } },
        ]),
      ),
    ).toEqual([{ from: 0, to: null, test: 50, exposures: { control: 8, test: 4, new: 1 } }]);
  });

  it("are kept while they last, even with nobody exposed", () => {
    const given = [{ shares: HALVES, units: { control: 3 } }, { shares: other }];
    expect(shown(split(given))).toEqual([
      { from: 0, to: 10, test: 50, exposures: { control: 3 } },
      { from: 10, to: null, test: 20, exposures: {} },
    ]);
    expect(shown(split(given, { lasts: false }))).toEqual([
      { from: 0, to: 10, test: 50, exposures: { control: 3 } },
    ]);
  });

  it("are one at the least: the only one, or the last", () => {
    expect(shown(split([{ shares: HALVES }], { lasts: false }))).toEqual([
      { from: 0, to: 10, test: 50, exposures: {} },
    ]);
    expect(shown(split([{ shares: HALVES }, { shares: other }], { lasts: false }))).toEqual([
      { from: 10, to: 20, test: 20, exposures: {} },
    ]);
  });

  it("are judged together by their own shares, without variants that were removed or several", () => {
    const { check } = split(
      [
        { shares: { ...HALVES, old: 100 }, units: { control: 100, test: 100, old: 500, [MULTIPLE]: 70 } },
        { shares: other, units: { control: 80, test: 20 } },
      ],
      { variants: ["control", "test"] },
    );
    expect(check.all).toMatchObject({ mismatch: false, expected_counts: { control: 180, test: 120 } });
    expect(check.phases.map((phase) => phase?.expected_counts)).toEqual([
      { control: 100, test: 100 },
      { control: 80, test: 20 },
    ]);
  });
});
